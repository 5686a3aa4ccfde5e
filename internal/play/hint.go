package play

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A slowDeletes records a Delete whose second call ran out of time. A Delete that may
// have overtaken its Create waits until no Create can run any more, which with default
// options takes nearly all of its invocation. The rest may be too short for a right
// handler of a slow service.
type slowDeletes struct {
	mu      sync.Mutex
	method  string
	elapsed time.Duration
}

// deleteMethod is the handler's method, not the HTTP method.
const deleteMethod = "Delete"

// callEnded records a call that began after the handler's Delete had returned once.
func (h *slowDeletes) callEnded(ctx context.Context, method string, began time.Time, err error) {
	if err == nil || ctx.Err() == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.method, h.elapsed = method, time.Since(began)
}

// hint returns sentences about another possible cause than the handler, or "".
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

// lagHint returns a hint about searches that lag, or "" if Find found something each
// time.
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
