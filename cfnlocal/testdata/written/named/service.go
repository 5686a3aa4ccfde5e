package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists is Create's error if the name exists already.
var ErrExists = errors.New("it exists already")

// A Service is what the handler needs of the service that holds its resources.
type Service interface {
	Create(ctx context.Context, name string, p Props) (Data, error)
	Put(ctx context.Context, name string, p Props) (Data, error)
	Delete(ctx context.Context, name string) error
}

// A client keeps each resource in a file. Yours calls a web API, or a database.
type client struct{}

func (client) path(name string) string { return filepath.Join(os.TempDir(), name+".json") }

func (c client) Create(ctx context.Context, name string, p Props) (Data, error) {
	if _, err := os.Stat(c.path(name)); err == nil {
		return Data{}, ErrExists
	}
	return c.Put(ctx, name, p)
}

func (c client) Put(ctx context.Context, name string, p Props) (Data, error) {
	if err := ctx.Err(); err != nil {
		return Data{}, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return Data{}, err
	}
	return Data{Arn: c.path(name)}, os.WriteFile(c.path(name), text, 0o600)
}

func (c client) Delete(_ context.Context, name string) error {
	err := os.Remove(c.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
