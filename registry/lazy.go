package registry

import (
	"context"
	"errors"
	"reflect"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Lazy returns a Resource that opens the real one at the first request, as [cfnresource.Lazy] does
// for a handler: costly set-up then happens where its failure is answered, with InternalFailure,
// and is tried again at the next request. R is the resource's own type, not an interface, since it
// says whether there is a Find. The context of open is that of the request, with its [Credentials]
// and [Configuration]: keep nothing that is a request's own.
func Lazy[R Resource[P, D], P, D any](open func(context.Context) (R, error)) Resource[P, D] {
	l := &lazy[P, D]{turn: make(chan struct{}, 1)}
	is := reflect.TypeFor[R]()
	switch {
	case open == nil:
		l.wrong = errors.New("the function passed to Lazy is nil: pass one that returns the resource")
	case is.Kind() == reflect.Interface:
		l.wrong = errors.New("the function passed to Lazy returns an interface, which does not say whether there is a Find: let it return the resource's own type")
	}
	l.open = func(ctx context.Context) (Resource[P, D], error) {
		r, err := open(ctx)
		if v := reflect.ValueOf(r); err == nil && v.Kind() == reflect.Pointer && v.IsNil() {
			err = errors.New("the resource is nil")
		}
		return r, err
	}
	if is.Implements(reflect.TypeFor[cfnresource.Finder[P]]()) {
		return lazyFinder[P, D]{l}
	}
	return l
}

type lazy[P, D any] struct {
	wrong error // what New reports, or nil
	open  func(context.Context) (Resource[P, D], error)

	turn   chan struct{} // holds one while a call opens the resource
	opened Resource[P, D]
}

// problem returns what is wrong with the call of Lazy.
func (l *lazy[P, D]) problem() error { return l.wrong }

func (l *lazy[P, D]) get(ctx context.Context) (Resource[P, D], error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if l.opened != nil {
		return l.opened, nil
	}
	r, err := l.open(ctx)
	if err != nil {
		// Whatever code the error has, it says nothing of the resource.
		return nil, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the resource could not be opened: %w", err)
	}
	l.opened = r
	return r, nil
}

func (l *lazy[P, D]) Create(ctx context.Context, req *cfnresource.CreateRequest[P]) (data D, err error) {
	r, err := l.get(ctx)
	if err != nil {
		return data, err
	}
	return r.Create(ctx, req)
}

func (l *lazy[P, D]) Update(ctx context.Context, req *cfnresource.UpdateRequest[P]) (data D, err error) {
	r, err := l.get(ctx)
	if err != nil {
		return data, err
	}
	return r.Update(ctx, req)
}

func (l *lazy[P, D]) Delete(ctx context.Context, req *cfnresource.DeleteRequest[P]) error {
	r, err := l.get(ctx)
	if err != nil {
		return err
	}
	return r.Delete(ctx, req)
}

func (l *lazy[P, D]) Read(ctx context.Context, req *ReadRequest) (m Model[P, D], err error) {
	r, err := l.get(ctx)
	if err != nil {
		return m, err
	}
	return r.Read(ctx, req)
}

func (l *lazy[P, D]) List(ctx context.Context, req *ListRequest) (ids []string, next string, err error) {
	r, err := l.get(ctx)
	if err != nil {
		return nil, "", err
	}
	return r.List(ctx, req)
}

// A lazyFinder opens what has Find.
type lazyFinder[P, D any] struct{ *lazy[P, D] }

func (l lazyFinder[P, D]) Find(ctx context.Context, req *cfnresource.FindRequest[P]) (string, error) {
	r, err := l.get(ctx)
	if err != nil {
		return "", err
	}
	return r.(cfnresource.Finder[P]).Find(ctx, req) // it is of the type that Lazy looked at
}
