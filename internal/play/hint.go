package play

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A slowDeletes is what is known of Deletes that ran out of time when they came for
// the second time. A Delete that may have overtaken its Create waits until none
// can run any more, with default options nearly to the end of its own
// invocation; what is left then is short for a right handler of a slow service.
type slowDeletes struct {
	mu      sync.Mutex
	method  string
	elapsed time.Duration
}

// deleteMethod is the handler's method, and no HTTP method.
const deleteMethod = "Delete"

// callEnded notes a call in the work on a Delete that began after the handler's
// Delete had returned.
func (h *slowDeletes) callEnded(ctx context.Context, method string, began time.Time, err error) {
	if err == nil || ctx.Err() == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.method, h.elapsed = method, time.Since(began)
}

// hint says what may be the cause, in whole sentences, if it is not the
// handler.
func (h *slowDeletes) hint(timeout time.Duration) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.method == "" {
		return ""
	}
	return fmt.Sprintf("The handler may be right: its %s was stopped after %v. A Delete that may have overtaken its Create waits for it, and then works once more "+
		"in what is left of the function's timeout (%v, of which half of Options.ResponseMargin). "+
		"Set Options.LostGrace to how long a Create can take, and give the function and the Contract a Timeout that leaves time after it (docs/recipes.md#slow-deletes-and-searches)",
		h.method, h.elapsed.Round(time.Millisecond), timeout)
}

// lagHint says what may be the cause where there is something that Find did not
// find, or "" if it found something each time.
func (p *run) lagHint() string {
	for _, r := range p.simulator.Requests() {
		for _, d := range r.Deliveries {
			if r.Type != "Create" && slices.ContainsFunc(d.Calls, func(c Call) bool { return c.Method == "Find" && c.Returned == "" && c.Error == "" }) {
				return ". Find found nothing: if the service's searches show what is there later, set Options.FindLag to how much later (docs/recipes.md#lists-that-lag)"
			}
		}
	}
	return ""
}
