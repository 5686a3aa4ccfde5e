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
	open func(context.Context) (T, error)

	mu     sync.Mutex
	opened bool
	value  T             // once it is opened
	calls  int           // that have not returned
	latest *opening      // the latest call, or nil once that has returned
	change chan struct{} // closed when any of this changes; made by who waits, so that tests in virtual time can share an Opener
}

// NewOpener returns an Opener that opens with open.
func NewOpener[T any](open func(context.Context) (T, error)) *Opener[T] {
	return &Opener[T]{open: open}
}

// An opening is a call of an Opener's function.
type opening struct {
	start    time.Time
	proper   context.Context // ends with the call's proper time
	returned bool
	err      error // why it failed, once it has returned
}

// Get returns what was opened. Its error is that of its own call, if it made one, or why ctx ended,
// and says how many other calls hang.
func (o *Opener[T]) Get(ctx context.Context) (value T, err error) {
	// Open it, if that is due before another call has.
	var own *opening
	o.wait(ctx, func() bool {
		if ctx.Err() == nil && o.due() {
			own = o.call(ctx)
		}
		return o.opened || own != nil
	})
	settled := func() bool { return o.opened || own == nil || own.returned }
	if !o.wait(ctx, settled) {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), openerGrace)
		defer cancel()
		o.wait(grace, settled)
	}

	// What came of that. Errors are read without the lock: their methods are the user's code.
	o.mu.Lock()
	opened, hang, returned := o.opened, o.calls, own != nil && own.returned
	o.mu.Unlock()
	switch {
	case opened:
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

// wait waits until it is ready, and reports whether it is before ctx ends. ready is called with the lock.
func (o *Opener[T]) wait(ctx context.Context, ready func() bool) bool {
	for {
		o.mu.Lock()
		if ready() {
			o.mu.Unlock()
			return true
		}
		if o.change == nil {
			o.change = make(chan struct{})
		}
		change := o.change
		o.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return false
		}
	}
}

// changed wakes those that wait. The lock is held.
func (o *Opener[T]) changed() {
	if o.change != nil {
		close(o.change)
		o.change = nil
	}
}

// due reports whether open is to be called. The lock is held.
func (o *Opener[T]) due() bool {
	inTime := o.latest != nil && o.latest.proper.Err() == nil
	return !o.opened && !inTime && o.calls < maxOpening
}

// call calls open in the background. The lock is held.
func (o *Opener[T]) call(ctx context.Context) *opening {
	proper, cancel := properTime(ctx)
	own := &opening{start: time.Now(), proper: proper}
	o.latest = own
	o.calls++
	context.AfterFunc(proper, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.changed()
	})
	go func() {
		defer cancel()
		o.try(ctx, own)
	}()
	return own
}

// properTime returns the context of a call's proper time: half of the time that ctx has.
func properTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, time.Until(deadline)/2)
	}
	return context.WithCancel(ctx)
}

// try calls open. If that panics or ends its goroutine, it is an error.
func (o *Opener[T]) try(ctx context.Context, own *opening) {
	var value T
	var err error = failureError{&Failure{Text: "open ended its goroutine (runtime.Goexit)", Unknown: true}}
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		own.returned, own.err = true, err
		if err == nil && !o.opened {
			o.opened, o.value = true, value
		}
		if o.latest == own {
			o.latest = nil
		}
		o.calls--
		o.changed()
	}()
	f := call(ctx, "open", func(ctx context.Context) error {
		value, err = o.open(ctx)
		return err
	})
	if f != nil && f.Stack != "" {
		err = failureError{f}
	}
}
