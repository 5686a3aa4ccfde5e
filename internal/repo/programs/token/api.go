package main

import (
	"context"
	"errors"
)

// An API is what the service does. What is not there is an error with CodeNotFound.
type API interface {
	// Create makes a token that bears a mark. Its secret is shown here alone. A second call with
	// the same client token returns the first one's ID, and no secret.
	Create(ctx context.Context, mark, clientToken, scope string) (id string, s Secret, err error)
	// Rotate gives a token a new secret. The old one ends.
	Rotate(ctx context.Context, id string) (Secret, error)
	SetScope(ctx context.Context, id, scope string) error
	Get(ctx context.Context, id string) (Token, error)
	Delete(ctx context.Context, id string) error
	// List returns the tokens that bear a mark.
	List(ctx context.Context, mark string) (ids []string, err error)
}

// A Secret is what a token is used with. Each has a version of its own.
type Secret struct {
	Version int
	Text    string
}

// A Token is what the service shows of a token: all but its secret.
type Token struct {
	Mark    string
	Version int // of the secret that is good
}

// A Store keeps secrets under names.
type Store interface {
	Put(ctx context.Context, name string, s Secret) error
	// Version returns that of the secret under a name, or 0 if there is none.
	Version(ctx context.Context, name string) (int, error)
	Delete(ctx context.Context, name string) error // CodeNotFound if there is none
}

// open is where clients of the service and the store are made.
func open(context.Context) (*Tokens, error) { return nil, errors.New("there is no such service") }
