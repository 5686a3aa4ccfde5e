package cfnresource

import (
	"context"
	"fmt"
	"reflect"
	"sync"
)

// Lazy returns a Handler that opens the real one at the first event: costly
// set-up, such as a connection or a secret, then happens where its failure is
// answered, and is tried again on the next event. A program that fails before
// lambda.Start answers nothing.
//
// The handler that open returns keeps its optional methods. It must be a
// concrete type for that, not an interface.
func Lazy[H Handler[P, D], P, D any](open func(context.Context) (H, error)) Handler[P, D] {
	l := &lazy[H, P, D]{open: open}
	if reflect.TypeFor[H]().Implements(reflect.TypeFor[Finder[P]]()) {
		return &lazyFinder[H, P, D]{l}
	}
	return l
}

type lazy[H Handler[P, D], P, D any] struct {
	open func(context.Context) (H, error)

	mu      sync.Mutex
	opened  bool
	handler H
}

func (l *lazy[H, P, D]) get(ctx context.Context) (H, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened {
		return l.handler, nil
	}
	h, err := l.open(ctx)
	if err != nil {
		return h, fmt.Errorf("the handler could not be opened: %w", err)
	}
	if _, finds := any(h).(Finder[P]); finds && reflect.TypeFor[H]().Kind() == reflect.Interface && !reflect.TypeFor[H]().Implements(reflect.TypeFor[Finder[P]]()) {
		return h, fmt.Errorf("the function passed to Lazy returns the interface %s, which hides the Find of %T: make it return that type", reflect.TypeFor[H](), h)
	}
	l.handler, l.opened = h, true
	return h, nil
}

func (l *lazy[H, P, D]) Create(ctx context.Context, req *CreateRequest[P]) (CreateResult[D], error) {
	h, err := l.get(ctx)
	if err != nil {
		return CreateResult[D]{}, err
	}
	return h.Create(ctx, req)
}

func (l *lazy[H, P, D]) Update(ctx context.Context, req *UpdateRequest[P]) (UpdateResult[D], error) {
	h, err := l.get(ctx)
	if err != nil {
		return UpdateResult[D]{}, err
	}
	return h.Update(ctx, req)
}

func (l *lazy[H, P, D]) Delete(ctx context.Context, req *DeleteRequest[P]) error {
	h, err := l.get(ctx)
	if err != nil {
		return err
	}
	return h.Delete(ctx, req)
}

type lazyFinder[H Handler[P, D], P, D any] struct{ *lazy[H, P, D] }

func (l *lazyFinder[H, P, D]) Find(ctx context.Context, req *FindRequest[P]) (string, error) {
	h, err := l.get(ctx)
	if err != nil {
		return "", err
	}
	return any(h).(Finder[P]).Find(ctx, req)
}
