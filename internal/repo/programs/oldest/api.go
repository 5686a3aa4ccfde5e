package main

import (
	"context"
	"errors"
)

// An API is what the service does. What is not there is an error with CodeNotFound.
type API interface {
	Create(ctx context.Context, mark, name, topic string) (id string, err error)
	SetTopic(ctx context.Context, id, topic string) error
	Delete(ctx context.Context, id string) error
	// Mark returns the mark of a channel, without delay.
	Mark(ctx context.Context, id string) (string, error)
	// List returns the channels that bear a mark, the oldest first, as they were a while ago.
	List(ctx context.Context, mark string) (ids []string, err error)
}

// open is where a client of the service is made.
func open(context.Context) (*Channel, error) { return nil, errors.New("there is no such service") }
