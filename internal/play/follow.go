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
func Follow(ctx context.Context, function func() Handler, requestType string, payload []byte) (bodies [][]byte, invocations int, err error) {
	var box Postbox
	var next []byte
	base := hook.WithSender(ctx, &box)
	base = hook.WithChain(base, hook.Chain{
		Continue: func(_ context.Context, payload []byte) error {
			next = bytes.Clone(payload)
			return nil
		},
		Phase: func(string) lifecycle.Phase { return awaiting[requestType] },
	})
	timeout := time.Hour
	if deadline, ok := ctx.Deadline(); ok {
		timeout = time.Until(deadline)
	}
	ctx = base
	for {
		invocations++
		if _, err = function().Invoke(ctx, payload); err != nil || next == nil {
			return box.Take(), invocations, err
		}
		payload, next = next, nil
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(base), timeout)
		defer cancel()
	}
}

// awaiting are the phases of requests that a stack waits for.
var awaiting = map[string]lifecycle.Phase{
	"Create": lifecycle.PhaseCreating,
	"Update": lifecycle.PhaseUpdating,
	"Delete": lifecycle.PhaseDeleting,
}
