package play

import (
	"cmp"
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
	keepNothing   = "Keep nothing of an earlier event in a process: neither its context, whose end stops a client, nor values that were read for another resource"
	asWritten     = "If the property's type has an UnmarshalJSON, have UnmarshalJSON accept \"14\" like 14. A property of type any or map[string]any holds texts only: give the property a type that tells a number from a text, or write the number as a text in the Contract"
	askFirst      = "Ask whether the thing under PhysicalID exists, even if no property differs, and return NotFound if the thing is missing: docs/rules-for-a-handler.md#update"
	returnAllData = "Have Update return all Data that Create returns, since Update finishes the Create that an earlier delivery began: docs/rules-for-a-handler.md#update. " +
		"If the service shows a value only once, store it before you answer: docs/recipes.md#a-secret-that-is-shown-once"
)

// advice says, by the name of a check, what helps most handlers that fail it, and
// which document explains it.
var advice = map[string]string{
	"steps-around-effects":     callAllSteps,
	"throttled-is-tried-again": "Wrap errors with %w, not with %v. If a client is not the AWS SDK's, give its errors a code: docs/recipes.md#throttling-and-conflicts",
}

// whatHelps returns the line with which a failure ends, or "" if no advice is given.
func whatHelps(advice ...string) string {
	advice = slices.DeleteFunc(advice, func(text string) bool { return text == "" })
	if len(advice) == 0 {
		return ""
	}
	return "\nWhat helps: " + strings.Join(advice, ". ") + "."
}

// helpWith returns what helps against a harm, and whether the requests show the cause. If the handler may be right, only
// what an error says is told.
func (h *historyRun) helpWith(what harm, at operation, mayBeRight bool) (helps string, caused bool) {
	seen := scene{what, h.History, h.stack.Requests(), h.id, h.remaining(), h.doneBy(h.id)}
	cause, cure, hint := causeOf(seen), seen.cure(), ""
	if cause == "" {
		hint = uncodedHint(seen.calls())
	}
	isFailure := slices.Contains(append([]harm{stackStuck}, anyFail...), what)
	findsOthers := slices.ContainsFunc(seen.calls(), func(c simulate.Call) bool { return h.isOthers(c.Returned) })
	helps = cmp.Or(cause, cure)

	// What is known for certain comes before what helps most.
	switch {
	case mayBeRight:
		helps = ""
	case at.isAtOnce():
		helps = writeOwnPart
	case findsOthers:
		helps = "Have Find return only a thing that bears this resource's StableID"
	case hint != "" && isFailure:
		helps = "" // the hint is about the cause
	}
	return whatHelps(hint, helps), cause != ""
}

// A changeRow says what helps if changes of some kinds do one of some harms; all kinds if it names none. In its text PATH
// stands for the property. What is told of a tag is for one property without a tag.
type changeRow struct {
	harms []harm
	kinds []string
	ofTag bool
	helps string
}

// Kinds of values that have cures in common.
var (
	otherOnes = []string{valueGiven, another}
	none      = []string{leftOut, "empty", "zero"}
	precision = []string{least, "most"}
	spellings = []string{"case", "spaces"}
	meanings  = []string{"endings", joined} // of characters
)

// changeCures are what helps if a change does harm: the first row for it.
var changeCures = []changeRow{
	{[]harm{liveDeleted, madeNothing}, []string{"empty"}, false, "Refuse an empty PATH in Validate, or with the code InvalidRequest. If the service has nothing for it, have State show an empty thing"},
	{deleted, []string{"case"}, false, "If names that differ only in case are one name to the service, have Validate refuse upper case: to the SDK they are two resources, and the cleanup deletes the old one"},
	{deleted, nil, true, "If PATH belongs in the thing's name, tag it createOnly: docs/rules-for-a-handler.md#create. Otherwise leave it out of the name"},

	{failing, []string{entries}, false, "If the time is too short for so many entries, work on several at once, or give the Contract the function's Timeout. If the service takes fewer, return CodeInvalidRequest"},
	{failing, []string{"exchanged", "alike"}, false, "Have Update turn each list into each other one, also back in a rollback: if the service refuses two entries that are alike, remove the old ones before you add the new. If the service refuses such a list, have Create refuse it too, with CodeInvalidRequest"},
	{failing, []string{"doubled"}, false, "If the service refuses two entries of PATH that are alike, have Create and Update refuse them with CodeInvalidRequest. Otherwise have them pass on both, or one"},
	{failing, nil, true, "If PATH cannot be changed, tag it createOnly, or return CodeNotUpdatable: docs/rules-for-a-handler.md#update. If the service refuses such a value, have Create refuse it too, with CodeInvalidRequest"},
	{leaving, spellings, false, "Have Find and Delete look up the name that the service made of PATH: in lower case, and without spaces around it, if the service does that"},

	{wrongly, []string{"exchanged"}, false, "Compare PATH by what stands at each place: a list in its order, and what has names by the name. If the service keeps a set, have State sort it"},
	{wrongly, otherOnes, true, "Have Update set each property, whatever the others are. If PATH cannot be changed, tag it createOnly: docs/rules-for-a-handler.md#update"},
	{wrongly, none, false, "Have Update set a property that is left out as Create sets it: docs/rules-for-a-handler.md#update"},
	{wrongly, []string{entries}, false, "Have Update read and write all entries of PATH, page by page, as Create does"},
	{wrongly, slices.Concat(precision, spellings, meanings), false, "Have Update pass on PATH as Create does: escaped, rounded and cut in the same way, or not at all"},

	{[]harm{cutValue}, []string{entries}, false, "Pass all entries of PATH to the service, page by page, and have State show all of them. Have Validate refuse more than the service holds"},
	{[]harm{cutValue}, []string{"alike", "doubled", "exchanged"}, false, "Pass each entry of PATH to the service as a whole: do not keep entries by one of their members, as a map does. If the service does so, have Validate refuse two that it takes for one"},
	{[]harm{cutValue}, precision, false, "Pass PATH as it is, in a type that holds each value exactly: a text whole, a whole number as an int64 and not as a float64, a time with its fraction and its zone. If the service is less precise, have Validate refuse what it would round"},
	{[]harm{cutValue}, []string{"zero"}, false, "Tell a PATH that is zero from one that is left out, such as by a pointer"},
	{[]harm{cutValue}, spellings, false, "Pass the text of PATH as it is: neither trimmed, nor in another case. If the service does that, have Validate refuse such a text"},
	{[]harm{cutValue}, meanings, false, "Escape PATH where it becomes a part of something else, such as a URL, a path, a list in one text, or the input of a digest: characters in it have a meaning there, or its end is not seen"},
}

// cureOf says what helps if a change of some kind does harm, or "" if the finding has more to say. The property may be tagged
// already: createOnly, or secret, which allows no createOnly.
func cureOf(f *finding, ch change, isTagged bool) string {
	if ch.Path == allOfThem {
		isTagged = true // no one property is to be tagged
	}
	switch f.harm {
	case wrongState:
		if f.caused {
			return "" // what the requests show is more
		}
	case failsWithoutCause:
		if f.at.What != again {
			break
		}
		return fmt.Sprintf("The Update changes nothing: if it compares %s with what the service has, compare it with what the service makes of the value, or set it again", ch.Path)
	}
	for _, r := range changeCures {
		switch ofKind := len(r.kinds) == 0 || slices.Contains(r.kinds, ch.Kind); {
		case r.ofTag && isTagged:
		case ofKind && slices.Contains(r.harms, f.harm):
			return strings.ReplaceAll(r.helps, "PATH", ch.Path)
		}
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
		if c.Abandoned || c.Code != "" {
			continue
		}
		for _, s := range symptoms {
			if found := s.text.FindString(c.Error); found != "" {
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
	foundNone := func(c simulate.Call) bool { return did(c) == "Find" && c.Returned == "" }
	return slices.ContainsFunc(requests, func(q simulate.Request) bool {
		return q.Type != "Create" && slices.ContainsFunc(q.Calls(), foundNone)
	})
}

// lagHint returns a hint about searches that lag, or "" if Find found something each time, or the ID of what is left was known:
// no search is needed for its Delete.
func lagHint(requests []simulate.Request, left ...string) string {
	isKnown := func(q simulate.Request) bool { return q.Type == "Delete" && slices.Contains(left, q.PhysicalID) }
	if slices.ContainsFunc(requests, isKnown) {
		return ""
	}
	if foundNothing(requests) {
		return ". Find found nothing: if the service's searches show a new thing only after a while, set Options.FindLag to that time (docs/recipes.md#lists-that-lag)"
	}
	return ""
}
