package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotFound is Put's error if no resource has the ID.
var ErrNotFound = errors.New("there is none")

// A Service is what the handler needs of the service that holds its resources.
type Service interface {
	Create(ctx context.Context, token, mark string, p Props) (id string, data Data, err error)
	Mark(ctx context.Context, id string) (mark string, err error)
	List(ctx context.Context, at string) (ids []string, next string, err error)
	Put(ctx context.Context, id string, p Props) (Data, error)
	Delete(ctx context.Context, id string) error
}

// A client keeps each resource in a file. Yours calls a web API, or a database.
type client struct{}

type file struct {
	Mark  string
	Props Props
}

const dir = "found-monitors"

func path(id string) string { return filepath.Join(os.TempDir(), dir, filepath.Base(id)) }

func (c client) Create(ctx context.Context, token, mark string, p Props) (id string, data Data, err error) {
	if err := ctx.Err(); err != nil {
		return "", data, err
	}
	id = "m-" + token
	if err := os.MkdirAll(filepath.Dir(path(id)), 0o700); err != nil {
		return "", data, err
	}
	return id, Data{Arn: path(id)}, c.write(id, file{mark, p})
}

func (client) write(id string, f file) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(path(id), text, 0o600)
}

func (client) read(id string) (f file, err error) {
	text, err := os.ReadFile(path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return f, ErrNotFound
	} else if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

func (c client) Mark(_ context.Context, id string) (mark string, err error) {
	f, err := c.read(id)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return f.Mark, err
}

func (client) List(context.Context, string) (ids []string, next string, err error) {
	entries, err := os.ReadDir(filepath.Join(os.TempDir(), dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	for _, e := range entries {
		ids = append(ids, e.Name())
	}
	return ids, "", err
}

func (c client) Put(ctx context.Context, id string, p Props) (Data, error) {
	if err := ctx.Err(); err != nil {
		return Data{}, err
	}
	f, err := c.read(id)
	if err != nil {
		return Data{}, err
	}
	f.Props = p
	return Data{Arn: path(id)}, c.write(id, f)
}

func (client) Delete(_ context.Context, id string) error {
	err := os.Remove(path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
