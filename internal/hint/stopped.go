package hint

import (
	"fmt"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A StoppedCall is a call that ran out of time after the Delete of the same event had
// returned once. A Delete that may have overtaken its Create waits until no Create can
// run any more, which with default options takes nearly all of its invocation. The rest
// may be too short for a right handler of a slow service.
type StoppedCall struct {
	Method string // "" if there is none
	After  time.Duration
}

// LastStopped returns the last of such calls.
func LastStopped(requests []simulate.Request) (last StoppedCall) {
	for _, r := range requests {
		if r.Type != "Delete" {
			continue
		}
		for _, d := range r.Deliveries {
			for _, stopped := range d.Stopped {
				if slices.ContainsFunc(d.Calls[:stopped.Call], func(c simulate.Call) bool { return c.Method == "Delete" }) {
					last = StoppedCall{d.Calls[stopped.Call].Method, stopped.After}
				}
			}
		}
	}
	return last
}

// Text returns sentences about another possible cause than the handler, or "". timeout is
// the function's.
func (s StoppedCall) Text(timeout time.Duration) string {
	if s.Method == "" {
		return ""
	}
	return fmt.Sprintf("The handler may be right: its %s was stopped after %v. A Delete that may have overtaken its Create waits for it, and then works once more "+
		"in what is left of the function's timeout (%v, of which half of Options.ResponseMargin). "+
		"Set Options.LostGrace to how long a Create can take, and give the function and the Contract a Timeout that leaves time after it (docs/recipes.md#slow-deletes-and-searches)",
		s.Method, s.After.Round(time.Millisecond), timeout)
}

// Lag returns a hint about searches that lag, or "" if Find found something each time.
func Lag(requests []simulate.Request) string {
	for _, q := range requests {
		if q.Type != "Create" && slices.ContainsFunc(q.Calls(), func(c simulate.Call) bool { return c.Method == "Find" && c.Returned == "" && c.Error == "" }) {
			return ". Find found nothing: if the service's searches show what is there later, set Options.FindLag to how much later (docs/recipes.md#lists-that-lag)"
		}
	}
	return ""
}
