package cfnresource

import (
	"context"
	"fmt"
	"reflect"
)

// Lazy returns a Handler that opens the real one at the first event: costly
// set-up, such as a connection or a secret, then happens where its failure is
// answered, and is tried again on the next event. A program that fails before
// lambda.Start answers nothing.
//
// The handler that open returns keeps its optional methods. It must be a
// concrete type for that, no interface, as an [Action] is. The context of open
// ends with the event: it is for the set-up, not for what the handler does later.
func Lazy[H Handler[P, D], P, D any](open func(context.Context) (H, error)) Handler[P, D] {
	if open == nil {
		return (*lazy[H, P, D])(nil)
	}
	l := &lazy[H, P, D]{open: open, turn: make(chan struct{}, 1)}
	if reflect.TypeFor[H]().Implements(reflect.TypeFor[Finder[P]]()) {
		return &lazyFinder[H, P, D]{l}
	}
	return l
}

type lazy[H Handler[P, D], P, D any] struct {
	open func(context.Context) (H, error)

	turn    chan struct{} // holds one while a call opens the handler
	opened  bool
	handler H
}

// handlerType is whose optional methods count.
func (l *lazy[H, P, D]) handlerType() reflect.Type { return reflect.TypeFor[H]() }

func (l *lazy[H, P, D]) get(ctx context.Context) (h H, err error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return h, context.Cause(ctx)
	}
	if l.opened {
		return l.handler, nil
	}
	if h, err = l.open(ctx); err != nil {
		// Whatever code the error has, it says nothing of the resource.
		return h, Errorf(CodeInternalFailure, "the handler could not be opened: %w", err)
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
