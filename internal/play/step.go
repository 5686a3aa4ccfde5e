package play

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/hook"
)

// Step is cfntest's. It does nothing unless a Simulator called the handler, or ctx comes
// from hook.WithSteps.
func Step(ctx context.Context) error {
	if inv, ok := ctx.Value(invocationKey{}).(*invocation); ok {
		return inv.step(ctx)
	}
	if step, ok := hook.Steps(ctx); ok {
		return step(ctx)
	}
	if inMethod() {
		stepsOutsideContext.Add(1)
	}
	return nil
}

// stepsOutsideContext counts the calls of Step in which a handler's method passed on
// another context than its own.
var stepsOutsideContext atomic.Int64

// inMethod reports whether the calling goroutine runs a method that a Simulator
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
