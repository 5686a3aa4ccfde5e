package cfnresource

import (
	"context"
	"reflect"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/redact"
)

// Lazy returns a Handler that opens the real one at the first event: costly set-up, such as a
// connection or a secret, then happens where its failure is answered. After a passing error, such
// as [CodeThrottling], it retries at once, like [Retry]; after others, at the next event. A program
// that fails before lambda.Start answers nothing.
//
// While open runs, other events wait for it, for up to half of the time that its event has. Then
// they, and later events, call open anew beside it, so that a call that hangs fails no event but its
// own. Up to three calls run at once; the first handler that is opened serves all events.
//
// The handler that open returns is used as it is: with its Find, or as an [Action]. The context of
// open ends with the event: it is for the set-up, not for what the handler does later. A secret that
// open passes to [Secret] is also redacted in every later event of that dispatcher.
func Lazy[H Handler[P, D], P, D any](open func(context.Context) (H, error)) Handler[P, D] {
	l := &lazy[P, D]{handler: reflect.TypeFor[H]()}
	if open == nil {
		return l
	}
	l.opener = guard.NewOpener(func(ctx context.Context) (h Handler[P, D], err error) {
		err = Retry(ctx, func(ctx context.Context) error {
			opened, err := open(redact.Lasting(ctx))
			if err == nil && isNil(opened) {
				err = errNilHandler
			}
			h = opened
			return err
		})
		return h, err
	})
	return l
}

// A lazy handler is opened by the dispatcher, which then works with the real
// one. Its methods are for those who call them without a dispatcher.
type lazy[P, D any] struct {
	handler reflect.Type // of the real one, as far as it is known
	opener  *guard.Opener[Handler[P, D]]
}

// get returns the real handler.
func (l *lazy[P, D]) get(ctx context.Context) (Handler[P, D], error) {
	h, err := l.opener.Get(ctx)
	if err != nil {
		// Whatever code the error has, it says nothing of the resource.
		return nil, Errorf(CodeInternalFailure, "the handler could not be opened: %w", err)
	}
	return h, nil
}

func (l *lazy[P, D]) Create(ctx context.Context, req *CreateRequest[P]) (data D, err error) {
	h, err := l.get(ctx)
	if err != nil {
		return data, err
	}
	return h.Create(ctx, req)
}

func (l *lazy[P, D]) Update(ctx context.Context, req *UpdateRequest[P]) (data D, err error) {
	h, err := l.get(ctx)
	if err != nil {
		return data, err
	}
	return h.Update(ctx, req)
}

func (l *lazy[P, D]) Delete(ctx context.Context, req *DeleteRequest[P]) error {
	h, err := l.get(ctx)
	if err != nil {
		return err
	}
	return h.Delete(ctx, req)
}
