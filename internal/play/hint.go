package play

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// symptoms are words in the text of an error without a code, each with what helps. The first are the HTTP statuses on
// whose code the dispatcher acts.
var symptoms = []struct {
	text  *regexp.Regexp
	helps string
}{
	{regexp.MustCompile(`\b(404|409|429|5\d\d)\b`), "if that is an HTTP status, wrap the error in cfnresource.HTTPStatus: docs/recipes.md#throttling-and-conflicts"},
	{regexp.MustCompile(`\bcontext canceled\b`), "if that is not the method's own context, keep no context of an earlier event in a process, nor anything that was opened with one"},
	{regexp.MustCompile(`\block(ed)?\b`), "if a process that died holds the lock, let the lock expire, or have the next process take it over"},
	{regexp.MustCompile(`^panic: |\bpanicked\b`), "the method panicked, and the log says where"},
	{regexp.MustCompile(`(?i)\b(busy|conflict|in progress)\b`), "if that passes, give the error CodeResourceConflict, so that the SDK tries again: docs/recipes.md#throttling-and-conflicts"},
}

// uncodedHint returns a hint about an error that has a symptom in its text and no code, or "". It quotes no more of the
// text. What an abandoned call ends with is no cause of anything.
func uncodedHint(calls []simulate.Call) string {
	for _, c := range calls {
		if c.Abandoned || c.Panicked() || c.Code != "" {
			continue
		}
		for _, s := range symptoms {
			if found := s.text.FindString(c.Error); found != "" {
				return fmt.Sprintf("%s fails with %q in its error's text and no code, so the SDK does not know what failed: %s", c.Method, found, s.helps)
			}
		}
	}
	return ""
}

// A stoppedCall is a call that ran out of time after the Delete of the same event had
// returned once. A Delete that may have overtaken its Create waits until no Create can
// run any more, which with default options takes nearly all of its invocation. The rest
// may be too short for a right handler of a slow service.
type stoppedCall struct {
	Method string // "" if there is none
	After  time.Duration
}

// lastStopped returns the last of such calls.
func lastStopped(requests []simulate.Request) (last stoppedCall) {
	for _, r := range requests {
		if r.Type != "Delete" {
			continue
		}
		for _, d := range r.Deliveries {
			for _, stopped := range d.Stopped {
				if slices.ContainsFunc(d.Calls[:stopped.Call], func(c simulate.Call) bool { return c.Method == "Delete" }) {
					last = stoppedCall{d.Calls[stopped.Call].Method, stopped.After}
				}
			}
		}
	}
	return last
}

// Text returns sentences about another possible cause than the handler, or "". timeout is
// the function's: whoever had most of it did not lack time because of the wait.
func (s stoppedCall) Text(timeout time.Duration) string {
	if s.Method == "" || s.After > timeout/2 {
		return ""
	}
	return fmt.Sprintf("The handler may be right: its %s was stopped after %v. A Delete that may have overtaken its Create waits for the Create, and then deletes again "+
		"in the rest of the function's timeout (%v), which may be only half of Options.ResponseMargin. "+
		"Set Options.LostGrace to how long a Create can take, and give the function and the Contract a Timeout that leaves time after it (docs/recipes.md#slow-deletes-and-searches)",
		s.Method, s.After.Round(time.Millisecond), timeout)
}

// foundNothing reports whether there was a Find of a request other than a Create that found nothing.
func foundNothing(requests []simulate.Request) bool {
	requests = slices.DeleteFunc(slices.Clone(requests), func(q simulate.Request) bool { return q.Type == "Create" })
	return slices.ContainsFunc(scene{requests: requests}.calls(), func(c simulate.Call) bool { return did(c) == "Find" && c.Returned == "" })
}

// lagHint returns a hint about searches that lag, or "" if Find found something each time, or the ID of what is left was known:
// no search is needed for its Delete.
func lagHint(requests []simulate.Request, left ...string) string {
	for _, q := range requests {
		if q.Type == "Delete" && slices.Contains(left, q.PhysicalID) {
			return ""
		}
	}
	if foundNothing(requests) {
		return ". Find found nothing: if the service's searches show a new thing only after a while, set Options.FindLag to that time (docs/recipes.md#lists-that-lag)"
	}
	return ""
}
