package simulate

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/hook"
)

// Step is cfntest's. It does nothing unless a Stack called the handler, or ctx comes
// from hook.WithSteps.
func Step(ctx context.Context) error {
	happened.Add(1)
	if inv, ok := ctx.Value(invocationKey{}).(*invocation); ok {
		return inv.step(ctx)
	}
	if step, ok := hook.Steps(ctx); ok {
		return step(ctx)
	}
	if inMethod() {
		strayed.Add(1)
	}
	return nil
}

// StraySteps returns how often a handler's method has called Step with another context than
// its own.
func StraySteps() int64 { return strayed.Load() }

var strayed atomic.Int64

// inMethod reports whether the calling goroutine runs a method that a Stack called.
func inMethod() bool {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasSuffix(f.Function, "internal/simulate.(*invocation).call") {
			return true
		}
	}
	return false
}

type invocationKey struct{}
