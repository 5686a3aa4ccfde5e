package play

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// advice that several checks share, and Explore.
const (
	nameItYourself = "Name what Create makes by StableID and answer AlreadyExists where it is there, or mark it with StableID and implement Find: docs/rules-for-a-handler.md#three-kinds-of-handlers. " +
		"Where the service takes a client token, pass IdempotencyToken: docs/recipes.md#client-tokens"
	callCreated  = "Call Created in the line after the call that made the thing: docs/rough_edges.md#updates-and-replacements. Where a PUT does not say whether it made it, ask first: docs/recipes.md#put-only"
	callAllSteps = "Have each operation of the fake call cfntest.Step before its effect and after it, or wrap the client's transport in cfntest.Steps: docs/testing.md#the-service. " +
		"A service that cannot have Steps skips this check"
	pollWaits     = "A Poll is for waiting until a thing is ready. What is to be tried again until the service takes it belongs into Retry: docs/recipes.md#throttling-and-conflicts"
	returnAllData = "Have Update return all Data that Create returns, since it finishes what an earlier delivery began: docs/rules-for-a-handler.md#update. " +
		"What the service shows once only goes into a store before the answer: docs/recipes.md#a-secret-that-is-shown-once"
)

// advice says, by the name of a check, what helps most handlers that fail it, and
// where to read about it.
var advice = map[string]string{
	"steps-around-effects":        callAllSteps,
	"find-reads-the-id-first":     "Read the thing under the event's PhysicalID before searching: docs/recipes.md#lists-that-lag",
	"sibling-is-left-alone":       "Have each resource make a thing of its own, and go by its physical ID. Only where there can be but one such thing, as with an account's setting, put this check into the Contract's Skip with that reason: docs/testing.md#what-else-there-is",
	"redelivered-does-no-more":    "Have the service tell the two apart by IdempotencyToken, which is that of the event, or keep in the service which token was done last, in the call that does it: docs/recipes.md#client-tokens",
	"warm-process-serves-several": "Keep in a process nothing of an earlier event: neither its context, with which a client stops working, nor what was read for another resource",
	"throttled-is-tried-again":    "Wrap errors with %w, and not with %v, and give those of a client that are not of the AWS SDK their code: docs/recipes.md#throttling-and-conflicts",
	"siblings-at-once":            "Write only the part that is the resource's own, or send the version that was read: docs/recipes.md#a-document-that-resources-share",
}

// whatHelps returns the line with which a failure ends, or "" if no advice is given.
func whatHelps(advice ...string) string {
	advice = slices.DeleteFunc(advice, func(text string) bool { return text == "" })
	if len(advice) == 0 {
		return ""
	}
	return "\nWhat helps: " + strings.Join(advice, ". ") + "."
}

// cureOf says what helps, where a change of some kind does harm; "" if that is what helps others who do it. The property
// may be tagged createOnly already.
func cureOf(h harm, ch change, isTagged bool) string {
	switch {
	case h == liveDeleted && ch.Kind == "empty":
		return "Refuse an empty " + ch.Path + " in Validate, or with the code InvalidRequest"
	case h == liveDeleted && ch.Kind == "case":
		return "If the service does not tell names apart that differ only in case, refuse what is not in lower case in Validate: another case is another identity to the SDK, and the cleanup deletes the one of before"
	case h == liveDeleted && ch.Path != allOfThem && !isTagged:
		return "If " + ch.Path + " belongs to what the thing is called, tag it createOnly: docs/rules-for-a-handler.md#create. Else leave it out of the name"
	case h == failsWithoutCause && ch.isLarge():
		return "If the time is too short for so many, work on several at once, or give the Contract the Timeout that the function has. If there cannot be so many, answer CodeInvalidRequest"
	case h == failsWithoutCause && slices.Contains([]string{"reversed", "two-reversed", "without-first", "without-last", "two"}, ch.Kind):
		return "Each list has to lead to each other one, back in a rollback too: where the service takes no two that are alike, remove what has to go before making what comes. If it takes no such list, answer CodeInvalidRequest"
	case h == failsWithoutCause && ch.Path != allOfThem && !isTagged:
		return "If " + ch.Path + " cannot be changed, tag it createOnly, or answer CodeNotUpdatable: docs/rules-for-a-handler.md#update. If the service takes no such value, answer CodeInvalidRequest"
	case h == leftBehind && (ch.Kind == "case" || ch.Kind == "spaces"):
		return "Have Find and Delete ask for the name as Create makes it of " + ch.Path + ": in lower case, and without spaces around, if the service does that"
	case h == wrongState && strings.HasSuffix(ch.Kind, "reversed"):
		return "Compare lists in their order. If the service has a set, have State sort it"
	case h == wrongState && (ch.Kind == inPlace || ch.Kind == replacing || ch.Kind == "other") && !isTagged:
		return "Have Update bring the thing to each of its properties, whatever the others are. If " + ch.Path + " cannot be changed, tag it createOnly: docs/rules-for-a-handler.md#update"
	case h == wrongState && (ch.Kind == leftOut || ch.Kind == "empty"):
		return "Have Update set what is left out to what Create makes of it: docs/rules-for-a-handler.md#update"
	}
	return ""
}

// symptoms are what the text of an error without a code can have in it, and what helps then. The first are those statuses
// of HTTP on whose code the dispatcher acts.
var symptoms = []struct {
	text  *regexp.Regexp
	helps string
}{
	{regexp.MustCompile(`\b(404|409|429|5\d\d)\b`), "if that is a status of HTTP, wrap the error in cfnresource.HTTPStatus: docs/recipes.md#throttling-and-conflicts"},
	{regexp.MustCompile(`\bcontext canceled\b`), "if it is not the context of the method, keep in a process no context of an earlier event, and nothing that was opened with one"},
	{regexp.MustCompile(`\block(ed)?\b`), "if a process that died holds the lock, give it a time to live, or have the one who finds it take it over"},
	{regexp.MustCompile(`^panic: |\bpanicked\b`), "it has panicked: the log says where"},
	{regexp.MustCompile(`(?i)\b(busy|conflict|in progress)\b`), "if that passes, give it the code CodeResourceConflict, with which the SDK tries again: docs/recipes.md#throttling-and-conflicts"},
}

// uncodedHint returns a hint about an error that has a symptom in its text and no code, or "". It says no more of the text.
func uncodedHint(calls []simulate.Call) string {
	for _, c := range calls {
		for _, s := range symptoms {
			if found := s.text.FindString(c.Error); found != "" && c.Code == "" {
				return fmt.Sprintf("%s fails with a text that has %q in it and with no code, so nothing is known of the failure: %s", c.Method, found, s.helps)
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
// the function's.
func (s stoppedCall) Text(timeout time.Duration) string {
	if s.Method == "" {
		return ""
	}
	return fmt.Sprintf("The handler may be right: its %s was stopped after %v. A Delete that may have overtaken its Create waits for it, and then works once more "+
		"in what is left of the function's timeout (%v, of which half of Options.ResponseMargin). "+
		"Set Options.LostGrace to how long a Create can take, and give the function and the Contract a Timeout that leaves time after it (docs/recipes.md#slow-deletes-and-searches)",
		s.Method, s.After.Round(time.Millisecond), timeout)
}

// causeOf returns what helps where requests show what did harm, and not only what came of it, or "". id is that of the
// stack's resource, and left are those of all that there is.
func causeOf(what harm, requests []simulate.Request, id string, left []string) string {
	deleted := false
	for i, q := range requests {
		isLast := i == len(requests)-1
		switch calls := q.Calls(); {
		case what == leftBehind && slices.ContainsFunc(left, func(other string) bool {
			return len(other) < len(q.PhysicalID) && strings.HasPrefix(q.PhysicalID, other)
		}):
			return "What is left has the beginning of " + q.PhysicalID + " for its name. Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"
		case what == liveDeleted && slices.ContainsFunc(calls, func(c simulate.Call) bool { return c.Method == "Create" && c.Created == id && c.Error != "" }):
			return "Create called Created with " + id + ", and failed, so that the SDK deleted it: call Created when the service has made the thing, and only for what this call has made: docs/rules-for-a-handler.md#create"
		case what == wrongState && isLast && q.FaultHit && q.Fault.Kind.End() == simulate.EndsFailed && q.Outcome == string(engine.Succeeded):
			return "The service failed, and the " + q.Type + " was answered SUCCESS: return the error of each call, or repeat the call with Retry"
		case (what == failsWithoutCause || what == deleteFails) && q.FaultHit && q.Fault.Kind == simulate.ThrottleAtStep:
			return "The service's error had the code Throttling, and the " + q.Type + "'s has none that is tried again: wrap errors with %w, and not with %v, and keep the code of what you make of them"
		case what == failsWithoutCause && deleted && q.Type == "Create" && q.Outcome == string(engine.Failed) && !q.FaultHit:
			return "Something is left of what Delete has removed, such as its name: have Delete remove that too, or wait until it is free, or have Create take it back"
		}
		deleted = deleted || q.Type == "Delete" && q.Outcome == string(engine.Succeeded)
	}
	if what == leftBehind {
		return vainDelete(requests, left)
	}
	return ""
}

// vainDelete returns what helps where the last Delete of something that is left returned no error, or "".
func vainDelete(requests []simulate.Request, left []string) string {
	var last simulate.Call
	for _, q := range requests {
		if q.Outcome == string(engine.Cancelled) || q.Fault.Kind == simulate.Late {
			return "" // it may have been made after its Delete
		}
		for _, c := range q.Calls() {
			if c.Method == "Delete" && slices.Contains(left, c.PhysicalID) {
				last = c
			}
		}
	}
	if last.Method == "" || last.Error != "" {
		return ""
	}
	return fmt.Sprintf("The Delete of %s returned without removing it: remove what PhysicalID names, and return the error where that fails: docs/rules-for-a-handler.md#delete", last.PhysicalID)
}

// lagHint returns a hint about searches that lag, or "" if Find found something each time.
func lagHint(requests []simulate.Request) string {
	for _, q := range requests {
		if q.Type != "Create" && slices.ContainsFunc(q.Calls(), func(c simulate.Call) bool { return c.Method == "Find" && c.Returned == "" && c.Error == "" }) {
			return ". Find found nothing: if the service's searches show what is there later, set Options.FindLag to how much later (docs/recipes.md#lists-that-lag)"
		}
	}
	return ""
}
