package play

import (
	"bytes"
	"context"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Follow hands a payload to a function and, where that continues, what it sends
// itself to further invocations, one after the other. Each has as much time as
// ctx has, and its own process if function makes one. The phase is that of a
// stack that waits for the answer, unless ctx says another. Follow returns the
// answers, and how many invocations there were until the first that failed.
func Follow(ctx context.Context, function func() Function, requestType string, payload []byte) (bodies [][]byte, invocations int, err error) {
	var box ResponseCollector
	var next []byte
	base := hook.WithSender(ctx, &box)
	base = hook.WithChain(base, hook.Chain{
		Continue: func(_ context.Context, payload []byte) error {
			next = bytes.Clone(payload)
			return nil
		},
		Phase: func(string) lifecycle.Phase { return phaseOf[requestType] },
	})
	timeout := time.Hour
	if deadline, ok := ctx.Deadline(); ok {
		timeout = time.Until(deadline)
	}
	_, err = function().Invoke(base, payload)
	for invocations = 1; err == nil && next != nil; invocations++ {
		payload, next = next, nil
		err = invokeWithin(base, timeout, function(), payload)
	}
	return box.Take(), invocations, err
}

// invokeWithin gives an invocation time of its own.
func invokeWithin(ctx context.Context, timeout time.Duration, h Function, payload []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	_, err := h.Invoke(ctx, payload)
	return err
}

// phaseOf are the phases of requests that a stack waits for.
var phaseOf = map[string]lifecycle.Phase{
	"Create": lifecycle.PhaseCreating,
	"Update": lifecycle.PhaseUpdating,
	"Delete": lifecycle.PhaseDeleting,
}
