package main

import (
	"context"
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/cfntest"
)

// What the tests in contract_test.go see of a hub.

// state returns what there is under a name, without its secret, or nil.
func (h *MemoryHub) state(name string) any {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.subscriptions[name]; ok {
		return s.Settings
	}
	return nil
}

func (h *MemoryHub) names() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.subscriptions))
}

// steps is a hub that can fail or hang, and at which a process can die, before
// and after each effect.
type steps struct{ *MemoryHub }

func (s steps) Create(ctx context.Context, name string, settings Settings) (secret string, err error) {
	err = step(ctx, func() (err error) {
		secret, err = s.MemoryHub.Create(ctx, name, settings)
		return err
	})
	return secret, err
}

func (s steps) Put(ctx context.Context, name string, settings Settings) (secret string, err error) {
	err = step(ctx, func() (err error) {
		secret, err = s.MemoryHub.Put(ctx, name, settings)
		return err
	})
	return secret, err
}

func (s steps) Delete(ctx context.Context, name string) error {
	return step(ctx, func() error { return s.MemoryHub.Delete(ctx, name) })
}

func step(ctx context.Context, effect func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	if err := effect(); err != nil {
		return err
	}
	return cfntest.Step(ctx)
}
