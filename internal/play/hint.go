package play

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Advice that several checks and Explore share.
const (
	nameItYourself = "Name the thing by StableID and have Create return AlreadyExists if it exists, or mark it with StableID and implement Find: docs/rules-for-a-handler.md#three-kinds-of-handlers. " +
		"If the service takes a client token, pass IdempotencyToken: docs/recipes.md#client-tokens"
	callCreated  = "Call Created in the line after the call that makes the thing: docs/rough_edges.md#updates-and-replacements. If a PUT does not say whether it made it, ask first whether it exists: docs/recipes.md#put-only"
	callAllSteps = "Have each operation of the fake call cfntest.Step before its effect and after it, or wrap the client's transport in cfntest.Steps: docs/testing.md#the-service. " +
		"If the service cannot call Step, skip this check"
	keepNothing   = "Keep nothing of an earlier event in a process: neither its context, at whose end a client stops working, nor what was read for another resource"
	asWritten     = "If the property's type has an UnmarshalJSON, have that accept \"14\" as it accepts 14. If it is any, or a map[string]any, it holds texts only: give it a type, which tells a number from its text, or write the number as a text in the Contract"
	askFirst      = "Ask whether the thing under PhysicalID is there, even if no property differs, and return NotFound if it is not: docs/rules-for-a-handler.md#update"
	returnAllData = "Have Update return all Data that Create returns, since Update finishes the Create that an earlier delivery began: docs/rules-for-a-handler.md#update. " +
		"If the service shows a value only once, store it before you answer: docs/recipes.md#a-secret-that-is-shown-once"
)

// advice says, by the name of a check, what helps most handlers that fail it, and
// which document explains it.
var advice = map[string]string{
	"steps-around-effects":     callAllSteps,
	"find-reads-the-id-first":  "Read the thing under the event's PhysicalID before searching: docs/recipes.md#lists-that-lag",
	"throttled-is-tried-again": "Wrap errors with %w, not with %v. If a client is not the AWS SDK's, give its errors a code: docs/recipes.md#throttling-and-conflicts",
	"denied-is-tried-again":    "Wrap errors with %w, not with %v. If a client is not the AWS SDK's, give its errors a code: docs/recipes.md#new-permissions",
}

// whatHelps returns the line with which a failure ends, or "" if no advice is given.
func whatHelps(advice ...string) string {
	advice = slices.DeleteFunc(advice, func(text string) bool { return text == "" })
	if len(advice) == 0 {
		return ""
	}
	return "\nWhat helps: " + strings.Join(advice, ". ") + "."
}

// cureOf says what helps if a change of some kind does harm, or "" if the harm's own cure does. The property may be
// tagged already: createOnly, or secret, which allows no createOnly.
func cureOf(h harm, ch change, isTagged bool) string {
	switch {
	case (h == liveDeleted || h == madeNothing) && ch.Kind == "empty":
		return "Refuse an empty " + ch.Path + " in Validate, or with the code InvalidRequest. If the service has nothing for it, have State show an empty thing"
	case h == liveDeleted && ch.Kind == "case":
		return "If names that differ only in case are one name to the service, have Validate refuse upper case: to the SDK they are two resources, and the cleanup deletes the old one"
	case h == liveDeleted && ch.Path != allOfThem && !isTagged:
		return "If " + ch.Path + " belongs in the thing's name, tag it createOnly: docs/rules-for-a-handler.md#create. Otherwise leave it out of the name"
	case h == failsWithoutCause && ch.kind().large:
		return "If the time is too short for so many entries, work on several at once, or give the Contract the function's Timeout. If the service takes fewer, return CodeInvalidRequest"
	case h == failsWithoutCause && slices.Contains([]string{"exchanged", "without-first"}, ch.Kind):
		return "Have Update turn each list into each other one, also back in a rollback: if the service refuses two entries that are alike, remove the old ones before you add the new. If the service refuses such a list, have Create refuse it too, with CodeInvalidRequest"
	case h == failsWithoutCause && ch.Path != allOfThem && !isTagged:
		return "If " + ch.Path + " cannot be changed, tag it createOnly, or return CodeNotUpdatable: docs/rules-for-a-handler.md#update. If the service refuses such a value, have Create refuse it too, with CodeInvalidRequest"
	case h == leftBehind && (ch.Kind == "case" || ch.Kind == "spaces"):
		return "Have Find and Delete look up the name that the service made of " + ch.Path + ": in lower case, and without spaces around it, if the service does that"
	case h == wrongState && ch.Kind == "exchanged":
		return "Compare lists in their order. If the service keeps a set, have State sort it"
	case h == wrongState && (ch.Kind == inPlace || ch.Kind == replacing || ch.Kind == "other") && !isTagged:
		return "Have Update set each property, whatever the others are. If " + ch.Path + " cannot be changed, tag it createOnly: docs/rules-for-a-handler.md#update"
	case h == wrongState && (ch.Kind == leftOut || ch.Kind == "empty"):
		return "Have Update set a property that is left out as Create sets it: docs/rules-for-a-handler.md#update"
	}
	return ""
}

// symptoms are words in the text of an error without a code, each with what helps. The first are the HTTP statuses on
// whose code the dispatcher acts.
var symptoms = []struct {
	text  *regexp.Regexp
	helps string
}{
	{regexp.MustCompile(`\b(404|409|429|5\d\d)\b`), "if that is an HTTP status, wrap the error in cfnresource.HTTPStatus: docs/recipes.md#throttling-and-conflicts"},
	{regexp.MustCompile(`\bcontext canceled\b`), "if that is not the method's own context, keep no context of an earlier event in a process, nor anything that was opened with one"},
	{regexp.MustCompile(`\block(ed)?\b`), "if a process that died holds the lock, let the lock expire, or have the next process take it over"},
	{regexp.MustCompile(`^panic: |\bpanicked\b`), "the method panicked: the log says where"},
	{regexp.MustCompile(`(?i)\b(busy|conflict|in progress)\b`), "if that passes, give the error CodeResourceConflict, so that the SDK tries again: docs/recipes.md#throttling-and-conflicts"},
}

// uncodedHint returns a hint about an error that has a symptom in its text and no code, or "". It quotes no more of the
// text. What an abandoned call ends with is no cause of anything.
func uncodedHint(calls []simulate.Call) string {
	for _, c := range calls {
		for _, s := range symptoms {
			if found := s.text.FindString(c.Error); found != "" && c.Code == "" && !c.Abandoned {
				return fmt.Sprintf("%s fails with %q in its error's text and no code, so the SDK knows nothing of the failure: %s", c.Method, found, s.helps)
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
	return fmt.Sprintf("The handler may be right: its %s was stopped after %v. A Delete that may have overtaken its Create waits for the Create, and then deletes again "+
		"in the rest of the function's timeout (%v), which may be only half of Options.ResponseMargin. "+
		"Set Options.LostGrace to how long a Create can take, and give the function and the Contract a Timeout that leaves time after it (docs/recipes.md#slow-deletes-and-searches)",
		s.Method, s.After.Round(time.Millisecond), timeout)
}

// foundNothing reports whether there was a Find of a request other than a Create that found nothing.
func foundNothing(requests []simulate.Request) bool {
	return slices.ContainsFunc(requests, func(q simulate.Request) bool {
		return q.Type != "Create" && slices.ContainsFunc(q.Calls(), func(c simulate.Call) bool { return c.Method == "Find" && c.Returned == "" && c.Error == "" })
	})
}

// lagHint returns a hint about searches that lag, or "" if Find found something each time.
func lagHint(requests []simulate.Request) string {
	if !foundNothing(requests) {
		return ""
	}
	return ". Find found nothing: if the service's searches show a new thing only after a while, set Options.FindLag to that time (docs/recipes.md#lists-that-lag)"
}
