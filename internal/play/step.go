package play

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
)

// Step is cfntest's: it does nothing unless a Player called the handler.
func Step(ctx context.Context) error {
	if inv, ok := ctx.Value(invocationKey{}).(*invocation); ok {
		return inv.step(ctx)
	}
	if inMethod() {
		strays.Add(1)
	}
	return nil
}

// strays counts the calls of Step with which a method of a handler passed on
// another context than its own.
var strays atomic.Int64

// inMethod reports whether the calling goroutine runs a method that a Player
// called.
func inMethod() bool {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasSuffix(f.Function, "internal/play.(*invocation).call") {
			return true
		}
	}
	return false
}

type invocationKey struct{}
