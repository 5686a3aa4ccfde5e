// Package guard runs the user's code. If that panics, exits its goroutine or does
// not return in time, the result is an ordinary failure.
package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// ErrOutOfTime is the cause with which a handler's context ends.
var ErrOutOfTime = errors.New("out of time: the rest is needed to answer CloudFormation")

// maxText is how many bytes of an error's text are kept.
const maxText = 64 << 10

// A Failure is an error of the user's code, or says how that code ended without one.
type Failure struct {
	Text      string // of the error, whose methods are the user's code too
	Unknown   bool   // the call may have taken effect, or was not made
	Abandoned bool   // the call still runs: what it writes must not be read
	Stack     string // of a panic
}

// A Guard runs calls, and keeps those that it gave up. Its methods are called by one goroutine.
type Guard struct {
	Grace   time.Duration // how long a call may take to return once its context has ended
	Trusted bool          // the calls return: they are made in the caller's goroutine

	abandoned []<-chan struct{}
}

// exited stands for the failure of a call that neither returned nor panicked.
var exited = new(Failure)

// A Call is one that was started.
type Call struct {
	guard   *Guard
	ctx     context.Context
	what    string
	start   time.Time
	done    chan struct{} // nil if the call has returned already
	failure *Failure
}

// Run calls fn in a goroutine of its own, and returns nil if it returned nil. If fn does not return
// before ctx has ended and Grace has passed, Run gives it up and returns.
func (g *Guard) Run(ctx context.Context, what string, fn func(context.Context) error) *Failure {
	return g.Start(ctx, what, fn).Wait()
}

// Start calls fn as Run does, which returns what [Call.Wait] returns.
func (g *Guard) Start(ctx context.Context, what string, fn func(context.Context) error) *Call {
	c := &Call{guard: g, ctx: ctx, what: what, start: time.Now(), failure: exited}
	switch {
	case ctx.Err() != nil:
		c.failure = &Failure{Text: what + " was not started: " + context.Cause(ctx).Error(), Unknown: true}
	case g.Trusted:
		c.failure = call(ctx, what, fn)
	default:
		c.done = make(chan struct{})
		go c.run(fn)
	}
	return c
}

func (c *Call) run(fn func(context.Context) error) {
	defer close(c.done)
	growStack(false)
	c.failure = call(c.ctx, c.what, fn)
}

// Wait waits for the call.
func (c *Call) Wait() *Failure {
	if c.done != nil && !c.returned() {
		c.guard.abandoned = append(c.guard.abandoned, c.done)
		return &Failure{
			Text:    fmt.Sprintf("%s did not return within %s and was given up", c.what, time.Since(c.start).Round(time.Millisecond)),
			Unknown: true, Abandoned: true,
		}
	}
	if c.failure == exited {
		return &Failure{Text: c.what + " ended its goroutine (runtime.Goexit)", Unknown: true}
	}
	return c.failure
}

// call calls fn, and returns nil if it returned nil.
func call(ctx context.Context, what string, fn func(context.Context) error) (f *Failure) {
	defer func() {
		if r := recover(); r != nil {
			f = &Failure{Text: fmt.Sprintf("%s: panic: %v", what, r), Stack: string(debug.Stack()), Unknown: true}
		}
	}()
	return read(what, fn(ctx))
}

// growStack grows the goroutine's stack at once, while it is empty. Growing it step
// by step under the user's code takes longer than the rest of a short call: a client of AWS is deep
// in its middleware when it sends a request, and the runtime looks at each frame that it moves.
// The room is in the frame whether it is used or not: only what is used has to be cleared.
//
//go:noinline
func growStack(use bool) {
	if use {
		var room [60 << 10]byte
		runtime.KeepAlive(&room)
	}
}

// read makes a Failure of the error that a call returned.
func read(what string, err error) *Failure {
	if err == nil {
		return nil
	}
	text := err.Error()
	f := &Failure{
		Text:    what + ": " + text[:min(len(text), maxText)],
		Unknown: errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrOutOfTime),
	}
	if inner, ok := errors.AsType[failureError](err); ok {
		f.Unknown, f.Stack = true, inner.Stack
	}
	return f
}

// A failureError is the Failure of a call that returned no error, as one.
type failureError struct{ *Failure }

func (e failureError) Error() string { return e.Text }

// returned waits, and reports whether the call has returned.
func (c *Call) returned() bool {
	select {
	case <-c.done:
		return true
	case <-c.ctx.Done():
	}
	timer := time.NewTimer(c.guard.Grace)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
	}
	select {
	case <-c.done: // first, if both are ready: Wait may be called late
		return true
	default:
		return false
	}
}

// After calls fn once all calls that were given up have returned.
func (g *Guard) After(fn func()) {
	if len(g.abandoned) == 0 {
		fn()
		return
	}
	abandoned := slices.Clone(g.abandoned) // later calls may add to them
	go func() {
		for _, done := range abandoned {
			<-done
		}
		fn()
	}()
}

// A Budget divides the time for an event between the handler and the answer.
type Budget struct {
	Timeout  time.Duration // the function's, or 0 if it has none
	Deadline time.Time     // when the answer must have arrived
	Margin   time.Duration // the part before Deadline that is the answer's
}

// BudgetOf returns the budget of an event that CloudFormation waits for until awaited.
// margin is the Margin, or 0 for one that depends on the time that is left.
//
// A deadline of ctx that is past at now is ignored, since local runs have such:
// BudgetOf returns a context without it.
func BudgetOf(ctx context.Context, now, awaited time.Time, margin time.Duration) (Budget, context.Context) {
	b := Budget{Deadline: awaited}
	if d, ok := ctx.Deadline(); ok && d.After(now) {
		b.Timeout = d.Sub(now)
		if d.Before(b.Deadline) {
			b.Deadline = d
		}
	} else if ok {
		ctx = context.WithoutCancel(ctx)
	}
	left := b.Deadline.Sub(now)
	if margin == 0 {
		margin = min(max(left/10, 250*time.Millisecond), 10*time.Second)
	}
	b.Margin = min(margin, left/2)
	return b, ctx
}

// A Backoff is the pauses between the tries of one call. Each is twice as long as
// the one before it, up to Last, and half of it is random.
type Backoff struct {
	First, Last time.Duration
	Steady      bool // without chance: in a test, what is played again goes the same way

	next time.Duration
}

// Next returns the next pause.
func (b *Backoff) Next() time.Duration {
	d := min(max(b.next, b.First), b.Last)
	b.next = 2 * d
	if b.Steady {
		return d / 4 * 3
	}
	return d/2 + rand.N(d/2)
}

// Sleep waits, and returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// LogLimit is the time after which a logger is taken to hang.
const LogLimit = 500 * time.Millisecond

// A Log writes records with a logger, which is the user's code: that it panics is
// ignored, and if it hangs it is not called again.
type Log struct{ hangs atomic.Bool }

// Start begins to write a record, for which the logger has until limit, and returns a
// function that waits for it. The logger gets values, and no [slog.LogValuer].
func (l *Log) Start(ctx context.Context, limit time.Duration, logger *slog.Logger, level slog.Level, message string, attrs ...slog.Attr) (wait func()) {
	if l.hangs.Load() {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	var g Guard
	call := g.Start(ctx, "logging", func(ctx context.Context) error {
		if !logger.Enabled(ctx, level) {
			return nil // and nobody asks what the values are
		}
		for i := range attrs {
			attrs[i].Value = attrs[i].Value.Resolve()
		}
		logger.LogAttrs(ctx, level, message, attrs...)
		return nil
	})
	return func() {
		defer cancel()
		if f := call.Wait(); f != nil && f.Abandoned {
			l.hangs.Store(true)
		}
	}
}

// Apply calls an option, unless it is nil. That it panics is an error.
func Apply[O any](options *O, option func(*O)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("an option panicked: %v", r)
		}
	}()
	if option != nil {
		option(options)
	}
	return nil
}
