package main

import (
	"context"
	"errors"
	"time"
)

// An API is what the service does. What is not there is an error with CodeNotFound.
type API interface {
	// Create makes a key that bears a mark. Its secret is shown here alone.
	Create(ctx context.Context, mark string) (id, secret string, err error)
	Delete(ctx context.Context, id string) error
	// List returns the keys that bear a mark.
	List(ctx context.Context, mark string) ([]Key, error)
}

// A Key is what the service shows of a key: all but its secret.
type Key struct {
	ID   string
	Made time.Time
}

// A Store keeps keys with their secrets, under names.
type Store interface {
	// Create stores a key, and returns CodeAlreadyExists if there is one of that name.
	Create(ctx context.Context, name, id, secret string) error
	// ID returns that of the key under a name, or "" if there is none.
	ID(ctx context.Context, name string) (string, error)
	Label(ctx context.Context, name, label string) error
	Delete(ctx context.Context, name string) error // CodeNotFound if there is none
}

// open is where clients of the service and the store are made.
func open(context.Context) (*Keys, error) { return nil, errors.New("there is no such service") }
