package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// A failure is an error of the user's code, or the way in which that code
// ended without one. Everything that is needed of the error is read inside the
// guard: its methods are the user's code too.
type failure struct {
	code    Code
	text    string
	exists  string // the ID of AlreadyExists
	unknown bool   // whether the call took effect cannot be known
	stack   string // of a panic

	abandoned bool // the call still runs
}

// failed returns a failure of the dispatcher's own.
func failed(code Code, format string, args ...any) *failure {
	return &failure{code: code, text: fmt.Sprintf(format, args...)}
}

// errOutOfTime is the cause with which a handler's context ends.
var errOutOfTime = errors.New("out of time: the rest is needed to answer CloudFormation")

// A guard runs the user's code where it can do no harm: what panics, exits its
// goroutine or does not return in time is an error like another.
type guard struct {
	grace      time.Duration // how long code may take to return once its context has ended
	stragglers []<-chan struct{}
}

// run calls fn in a goroutine of its own. If it does not return until ctx and
// then the grace are over, run returns all the same, and fn's results must not
// be touched.
func (g *guard) run(ctx context.Context, what string, fn func(context.Context) error) *failure {
	if ctx.Err() != nil {
		return &failure{code: CodeNotStabilized, text: what + " was not started: " + context.Cause(ctx).Error()}
	}
	start := time.Now()
	var f *failure
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if r := recover(); r != nil {
				f = &failure{code: CodeInternalFailure, text: fmt.Sprintf("%s: panic: %v", what, r), stack: string(debug.Stack()), unknown: true}
			} else if !returned {
				f = &failure{code: CodeInternalFailure, text: what + " ended its goroutine (runtime.Goexit)", unknown: true}
			}
		}()
		f = read(what, fn(ctx))
		returned = true
	}()

	if g.wait(ctx, done) {
		return f
	}
	g.stragglers = append(g.stragglers, done)
	return &failure{
		code:    CodeNotStabilized,
		text:    fmt.Sprintf("%s did not return within %s and was given up", what, time.Since(start).Round(time.Millisecond)),
		unknown: true, abandoned: true,
	}
}

func (g *guard) wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	timer := time.NewTimer(g.grace)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// after calls fn once all code that was given up has returned.
func (g *guard) after(fn func()) {
	if len(g.stragglers) == 0 {
		fn()
		return
	}
	go func() {
		for _, done := range g.stragglers {
			<-done
		}
		fn()
	}()
}

// read takes what is needed out of an error that what returned.
func read(what string, err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{code: CodeOf(err), text: what + ": " + err.Error()}
	f.exists, _ = existing(err)
	f.unknown = errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOutOfTime)
	return f
}
