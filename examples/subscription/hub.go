package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A Hub is the service whose subscriptions the handler manages: any API whose
// things bear names that the caller chooses, as buckets, queues and roles do.
type Hub interface {
	// Create makes a subscription, or fails with ErrExists.
	Create(ctx context.Context, name string, s Settings) (secret string, err error)
	// Put makes a subscription, or changes the one that there is.
	Put(ctx context.Context, name string, s Settings) (secret string, err error)
	// Delete removes a subscription, or fails with CodeNotFound.
	Delete(ctx context.Context, name string) error
}

// Settings are what there is to say of a subscription.
type Settings struct {
	Topic  string
	Active bool
	Days   int // for which messages are kept, from 1 to 365
}

// ErrExists says that the name is taken.
var ErrExists = errors.New("a subscription of that name exists")

// A MemoryHub is a Hub in the process's memory. It keeps nothing when the process ends, as Lambda
// ends it between events: put your API's client in its place.
type MemoryHub struct {
	mu            sync.Mutex
	subscriptions map[string]subscription
}

type subscription struct {
	Settings
	Secret string
}

// NewMemoryHub returns a hub without subscriptions.
func NewMemoryHub() *MemoryHub {
	return &MemoryHub{subscriptions: make(map[string]subscription)}
}

// Create implements [Hub].
func (h *MemoryHub) Create(_ context.Context, name string, s Settings) (secret string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.subscriptions[name]; ok {
		return "", ErrExists
	}
	return h.put(name, s)
}

// Put implements [Hub].
func (h *MemoryHub) Put(_ context.Context, name string, s Settings) (secret string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.put(name, s)
}

func (h *MemoryHub) put(name string, s Settings) (secret string, err error) {
	if s.Days < 1 || s.Days > 365 {
		return "", fmt.Errorf("Days is %d: choose 1 to 365", s.Days)
	}
	secret = h.subscriptions[name].Secret
	if secret == "" {
		secret = rand.Text()
	}
	h.subscriptions[name] = subscription{Settings: s, Secret: secret}
	return secret, nil
}

// Delete implements [Hub].
func (h *MemoryHub) Delete(_ context.Context, name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.subscriptions[name]; !ok {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no subscription of the name %s", name)
	}
	delete(h.subscriptions, name)
	return nil
}
