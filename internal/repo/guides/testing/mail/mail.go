// Package mail is the client of a service whose callers choose the names of their mailboxes.
package mail

import (
	"context"
	"errors"
)

// An API is what the service does.
type API interface {
	// Open makes a mailbox, or fails with ErrExists.
	Open(ctx context.Context, name, owner string) error
	// SetQuota says how much a mailbox holds, or fails with ErrNotFound.
	SetQuota(ctx context.Context, name string, megabytes int) error
	// Close removes a mailbox, or fails with ErrNotFound.
	Close(ctx context.Context, name string) error
}

// What the service says of names.
var (
	ErrExists   = errors.New("there is a mailbox of that name")
	ErrNotFound = errors.New("there is no mailbox of that name")
)
