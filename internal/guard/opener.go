package guard

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxOpening is how many calls of an Opener's function may run at once. One may hang by chance, and
// a second one too. Where three do, a fourth would very likely hang as well, and each keeps its
// memory and its connections for as long as the process lives.
const maxOpening = 3

// openerGrace is how long Get waits for its own call once its context has ended, since the error of
// the call says more. A dispatcher waits longer than that for Get.
const openerGrace = 50 * time.Millisecond

// An Opener opens what all events share at the first Get, and again at the next one if that failed.
// A call of its function has a proper time, in which others wait for it: half of the time of its own
// event. If it takes longer, it may hang, and one of them opens anew beside it while there is still
// time. The first call that succeeds counts, for all. If maxOpening calls hang, the others wait for
// them: on Lambda a call goes on only while there is an event.
type Opener[T any] struct {
	open   func(context.Context) (T, error)
	calls  chan struct{} // holds one for each call that has not returned
	opened chan struct{} // closed once value is there
	value  T

	mu     sync.Mutex
	proper context.Context // ends with the proper time of the latest call, or when that returns
}

// noTime is a proper time that is over.
var noTime = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// NewOpener returns an Opener that opens with open.
func NewOpener[T any](open func(context.Context) (T, error)) *Opener[T] {
	return &Opener[T]{open: open, calls: make(chan struct{}, maxOpening), opened: make(chan struct{}), proper: noTime}
}

// An opening is a call of an Opener's function.
type opening struct {
	start    time.Time
	returned chan struct{}
	err      error // why it failed, once it has returned
}

// Get returns what was opened. Its error is that of its own call, if it made one, or why ctx ended,
// and says how many other calls hang.
func (o *Opener[T]) Get(ctx context.Context) (value T, err error) {
	own := o.begin(ctx)
	returned := own != nil && o.await(ctx, own)
	hang := len(o.calls)
	switch {
	case o.isOpen():
		return o.value, nil
	case own == nil:
		err = context.Cause(ctx)
	case returned:
		err = own.err
	default:
		hang-- // the others
		err = fmt.Errorf("open did not return within %s, although its context has ended: %w", time.Since(own.start).Round(time.Millisecond), context.Cause(ctx))
	}
	if hang > 0 {
		err = fmt.Errorf("%w (earlier calls of open that still hang: %d; have open return when its context ends)", err, hang)
	}
	return value, err
}

// begin calls open in the background once that is due. It returns nil if there is no need, or if
// ctx ends first.
func (o *Opener[T]) begin(ctx context.Context) *opening {
	for ctx.Err() == nil && !o.isOpen() {
		latest := o.latest()
		select { // it may yet succeed
		case <-latest.Done():
		case <-o.opened:
			return nil
		case <-ctx.Done():
			return nil
		}
		select { // room beside those that hang
		case o.calls <- struct{}{}:
		case <-o.opened:
			return nil
		case <-ctx.Done():
			return nil
		}
		if own := o.call(ctx, latest); own != nil {
			return own
		}
		<-o.calls // another event was faster
	}
	return nil
}

func (o *Opener[T]) isOpen() bool {
	select {
	case <-o.opened:
		return true
	default:
		return false
	}
}

func (o *Opener[T]) latest() (proper context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.proper
}

// call calls open in the background, unless another event has done so since latest.
func (o *Opener[T]) call(ctx, latest context.Context) *opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.proper != latest || o.isOpen() || ctx.Err() != nil {
		return nil
	}
	proper, returns := context.WithCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		proper, returns = context.WithTimeout(ctx, time.Until(deadline)/2)
	}
	own := &opening{start: time.Now(), returned: make(chan struct{})}
	o.proper = proper
	go func() {
		defer returns() // after it is known how
		o.try(ctx, own)
	}()
	return own
}

// try calls open. If that panics or ends its goroutine, it is an error.
func (o *Opener[T]) try(ctx context.Context, own *opening) {
	var value T
	var err error = failureError{&Failure{Text: "open ended its goroutine (runtime.Goexit)", Unknown: true}}
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if own.err = err; err == nil && !o.isOpen() {
			o.value, o.proper = value, noTime // not to keep the event
			close(o.opened)
		}
		<-o.calls
		close(own.returned)
	}()
	f := call(ctx, "open", func(ctx context.Context) error {
		value, err = o.open(ctx)
		return err
	})
	if f != nil && f.Stack != "" {
		err = failureError{f}
	}
}

// await waits until a call has returned or is not needed, but not much longer than until ctx ends. It
// reports whether the call has returned.
func (o *Opener[T]) await(ctx context.Context, own *opening) (returned bool) {
	select {
	case <-own.returned:
	case <-o.opened:
	case <-ctx.Done():
		timer := time.NewTimer(openerGrace)
		defer timer.Stop()
		select {
		case <-own.returned:
		case <-o.opened:
		case <-timer.C:
		}
	}
	select {
	case <-own.returned:
		return true
	default:
		return false
	}
}
