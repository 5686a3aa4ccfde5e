package play

// What the requests of a history show of the cause of a harm. Where they show none, the harm says what helps.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A scene is what is known of a harm.
type scene struct {
	harm     harm
	ops      history
	requests []simulate.Request
	id       string   // of the stack's resource
	left     []string // the IDs of all things that are not other people's
}

// last returns the last request that is no Delete.
func (s scene) last() (last simulate.Request) {
	for _, q := range s.requests {
		if q.Type != "Delete" {
			last = q
		}
	}
	return last
}

// calls returns the calls of all requests.
func (s scene) calls() (all []simulate.Call) {
	for _, q := range s.requests {
		all = append(all, q.Calls()...)
	}
	return all
}

// methodOf names the method that a request called last, besides Find, or the request.
func methodOf(q simulate.Request) string {
	name := q.Type
	for _, c := range q.Calls() {
		if c.Method != "Find" {
			name = c.Method
		}
	}
	return name
}

// simultaneous reports whether two processes handled a request at once, so that its calls are not in the order of time.
func simultaneous(q simulate.Request) bool {
	return q.Fault.Kind == fault.Twice || q.Fault.Kind == fault.LinkTwice
}

// separators are in IDs, between a name and what is added to it.
const separators = "-_./:|,"

// causes are what can be the cause of a harm, as far as a scene shows it. The first that says what helps is taken for it.
var causes = []func(s scene) (helps string){
	cutID, circumstance, processMemory, createdTooSoon, deletedAlong, ownName, ignoredError, unwrapped, notIdempotent, keptName, addsUp, failsOnItsOwn, unfinished, vainDelete, second, unmarked,
}

// causeOf returns what helps if the scene shows the cause, or "".
func causeOf(s scene) string {
	if slices.Contains([]harm{unplayable, wrongBefore, oneForStacks}, s.harm) {
		return "" // each says all that is known
	}
	for _, helps := range causes {
		if text := helps(s); text != "" {
			return text
		}
	}
	return ""
}

// cutID is for a thing whose name is the beginning of an ID.
func cutID(s scene) string {
	for _, c := range s.calls() {
		for _, other := range s.left {
			rest, begins := strings.CutPrefix(c.PhysicalID, other)
			if s.harm == leftBehind && begins && len(rest) >= 4 && strings.IndexAny(rest, separators) != 0 {
				return "The name of the thing that is left is the beginning of " + c.PhysicalID + ". Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"
			}
		}
	}
	return ""
}

// circumstance is for harm in a circumstance, without which there is none.
func circumstance(s scene) string {
	switch ages := s.ops.ages(); {
	case s.harm != strangerTouched && (s.ops.has(crowd) || s.ops.has(largeCrowd)):
		if s.harm == leftBehind && foundNothing(s.requests) {
			return "Have Find read every page of a list"
		}
		return "Have each method, and Find if there is one, read every page of a list"
	case s.harm == failsWithoutCause && ages && s.ops.has(warm):
		return "Renew what expires while a process lives, such as a token"
	case s.harm == failsWithoutCause && ages:
		return "Compare a date in the properties with today's only in Create: an Update or a rollback may come years later"
	case s.harm == wrongState && ages:
		return "If State shows an age or a time, leave it out: docs/testing.md#the-service. " + s.harm.cure
	case s.harm == wrongState && s.ops.use() != "":
		return "Update the thing in place, and do not build it anew. In a replacement, copy what the new thing needs, and leave the old one to CloudFormation's Delete"
	case s.ops.has(longName):
		return "Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"
	}
	return ""
}

// processMemory is for harm that only a process does that has handled other events.
func processMemory(s scene) string {
	if len(s.requests) == 0 || !s.ops.has(warm) && !s.ops.has(warmPair) {
		return ""
	}
	last := s.requests[len(s.requests)-1]
	if s.harm != leftBehind && s.harm != deleteFails {
		last = s.last()
	}
	asked := func(q simulate.Request) bool {
		return slices.ContainsFunc(q.Deliveries, func(d simulate.Delivery) bool { return d.Steps > 0 })
	}
	panicked := func(q simulate.Request) bool { return q.FaultHit && q.Fault.Kind == fault.PanicAfter }
	switch failed := last.Outcome == string(engine.Failed); {
	case failed && len(last.Calls()) == 0 && slices.ContainsFunc(s.requests, panicked):
		return "No method was called for the last " + last.Type + ": something before it is blocked, such as on a lock that the panicking call never released. Release locks with defer"
	case len(last.Calls()) == 0 && !failed, asked(last), !slices.ContainsFunc(s.requests, asked):
		return keepNothing
	case failed:
		return "The " + methodOf(last) + " failed before it asked the service: the process remembers an earlier failure. Keep no error, as sync.Once does, and have a circuit close again. Lazy tries again"
	}
	return "The " + methodOf(last) + " asked the service nothing. Do not go by what a process remembers of an event or a thing: another process may have changed or deleted it"
}

// createdTooSoon is for a Create that names what it has not made.
func createdTooSoon(s scene) string {
	for _, q := range s.requests {
		for _, c := range q.Calls() {
			undone := slices.ContainsFunc(q.Calls(), func(d simulate.Call) bool { return d.Method == "Delete" && d.PhysicalID == c.Created })
			if s.harm == liveDeleted && c.Method == "Create" && c.Created == s.id && c.Error != "" && undone {
				return "Create called Created with " + s.id + " and then failed, so the SDK deleted it: call Created only after the service has made the thing, and only if this call made it: docs/rules-for-a-handler.md#create"
			}
		}
	}
	return ""
}

// deletedAlong is for the Delete of an old resource that also removes the new one.
func deletedAlong(s scene) string {
	if s.harm != liveDeleted || len(s.requests) == 0 {
		return ""
	}
	made := func(c simulate.Call) bool { return c.Method == "Create" && c.Created == s.id && c.Error == "" }
	changed := func(c simulate.Call) bool { return c.Method != "Find" && c.PhysicalID == s.id }
	old, before, stood := s.requests[len(s.requests)-1], s.last(), false // what stood, and was made again, had gone before
	for _, q := range s.requests {
		if q.PhysicalID == s.id {
			stood = q.Type != "Delete"
		}
	}
	switch another := slices.ContainsFunc(append(before.Calls(), old.Calls()...), changed); {
	case old.Type != "Delete", old.PhysicalID == s.id, stood, another, before.Outcome != string(engine.Succeeded), !slices.ContainsFunc(before.Calls(), made):
		return ""
	}
	return fmt.Sprintf("The Delete of %s also removed %s: delete only what has the physical ID, compared as a whole, and go by nothing that both share, such as the stack's name: docs/rules-for-a-handler.md#delete", old.PhysicalID, s.id)
}

// ownName is for a handler without a Find whose IDs do not show another identity.
func ownName(s scene) string {
	if s.harm != notReplaced || slices.ContainsFunc(s.calls(), func(c simulate.Call) bool { return c.Method == "Find" }) {
		return ""
	}
	return "Tag createOnly the properties that identify the thing, and name it by StableID, which changes with them: docs/rules-for-a-handler.md#create"
}

// ignoredError is for a method that returns nil although the service failed.
func ignoredError(s scene) string {
	q := s.last()
	isTold := slices.ContainsFunc(q.Calls(), func(c simulate.Call) bool { return c.Error != "" })
	serviceFailed := q.FaultHit && simulate.AtStep(q.Fault.Kind)
	if s.harm != wrongState || !serviceFailed {
		return ""
	}
	if isTold || q.Outcome != string(engine.Succeeded) {
		return ""
	}
	switch q.Fault.Kind {
	case fault.ThrottleAtStep:
		return "The service was busy, and " + methodOf(q) + " returned no error: return the error of each call, and the SDK tries again"
	case fault.HangAtStep:
		return "The service did not answer, and " + methodOf(q) + " returned no error: return the error of a call that runs out of time"
	case fault.RefuseFromStep:
		return "The service refused a call, and " + methodOf(q) + " returned no error: return the error of each call"
	}
	return "The service failed, and " + methodOf(q) + " returned no error: return the error of each call, or repeat the call with Retry"
}

// unwrapped is for a method that loses the code of a busy service's error.
func unwrapped(s scene) string {
	if s.harm != failsWithoutCause && s.harm != deleteFails {
		return ""
	}
	for _, q := range s.requests {
		if q.Fault.Kind != fault.ThrottleAtStep || !q.FaultHit {
			continue
		}
		calls := q.Calls()
		failed := slices.IndexFunc(calls, func(c simulate.Call) bool { return c.Error != "" })
		if failed < 0 || failed < len(calls)-1 {
			continue // it was called again, and fails for another reason
		}
		switch c := calls[failed]; c.Code {
		case string(cfnresource.CodeThrottling):
		case "":
			return "The service's error had the code Throttling, but " + c.Method + "'s has no code that is tried again: wrap errors with %w, not with %v, and keep the code in errors of your own"
		default:
			return "The service's error had the code Throttling, but " + c.Method + "'s has the code " + c.Code + ": wrap errors with %w, and give no other code to one that has a code"
		}
	}
	return ""
}

// notIdempotent is for an Update that succeeds once, and fails when its event comes again.
func notIdempotent(s scene) string {
	for _, q := range s.requests {
		updated := false
		for _, c := range q.Calls() {
			if s.harm == failsWithoutCause && !simultaneous(q) && updated && c.Method == "Update" && c.Error != "" {
				return "The Update succeeded, and failed when it was delivered again: set values instead of adding to them, and succeed if the thing is as asked already: docs/rules-for-a-handler.md#update"
			}
			updated = updated || c.Method == "Update" && c.Error == ""
		}
	}
	return ""
}

// keptName is for a Create that fails after a Delete.
func keptName(s scene) string {
	deleted := false
	for _, q := range s.requests {
		calls := q.Calls()
		found := slices.ContainsFunc(calls, func(c simulate.Call) bool { return c.Returned != "" })
		makes := q.Type == "Create" || slices.ContainsFunc(calls, func(c simulate.Call) bool { return c.Method == "Create" })
		if s.harm == failsWithoutCause && deleted && makes && q.Outcome == string(engine.Failed) && !q.FaultHit && !found {
			return "Delete left something of the thing behind, such as its name: have Delete remove that too, or wait until it is free, or have Create take it over"
		}
		deleted = deleted || q.Type == "Delete" && q.Outcome == string(engine.Succeeded) && len(calls) > 0
	}
	return ""
}

// addsUp is for an Update that fails although the same has succeeded, with another one in between.
func addsUp(s scene) string {
	var before []simulate.Request
	for _, q := range s.requests {
		limited := slices.ContainsFunc(q.Calls(), func(c simulate.Call) bool {
			return c.Code == string(cfnresource.CodeThrottling) || c.Code == string(cfnresource.CodeServiceLimitExceeded)
		})
		switch {
		case s.harm != failsWithoutCause || q.FaultHit || limited:
			return ""
		case q.Type == "Update" && q.Outcome == string(engine.Failed):
			same := func(p simulate.Request) bool {
				return p.Type == "Update" && reflect.DeepEqual(p.Properties(), q.Properties())
			}
			if n := len(before); n > 1 && slices.ContainsFunc(before[:n-1], same) {
				return "The same Update has succeeded before, so what Updates leave adds up: have each remove what the ones before have left, such as old versions"
			}
			return ""
		case q.Type != "Delete":
			before = append(before, q)
		}
	}
	return ""
}

// failsOnItsOwn is for a Create that fails because of what another one has made.
func failsOnItsOwn(s scene) string {
	calls := s.last().Calls()
	if s.harm != failsWithoutCause || len(calls) == 0 || uncodedHint(calls) != "" {
		return ""
	}
	last, made := calls[len(calls)-1], false
	for _, c := range s.calls() {
		if c == last {
			break
		}
		made = made || c.Method == "Create" && c.Created != ""
	}
	if made && last.Method == "Create" && last.Error != "" && last.Code == "" && !s.last().FaultHit {
		return "If Create failed because there is a thing that an earlier one has made, return AlreadyExists for it: docs/rules-for-a-handler.md#create"
	}
	return ""
}

// unfinished is for an Update that does not finish what a Create began.
func unfinished(s scene) string {
	began := false
	for _, c := range s.last().Calls() {
		if s.harm == wrongState && began && c.Error == "" {
			switch c.Method {
			case "Create":
				return "Create was called again, and took a thing that was made in part for complete: return AlreadyExists for what is there, and the SDK calls Update, which finishes it: docs/rules-for-a-handler.md#create"
			case "Update":
				return "A Create had made the thing before, perhaps in part. Have Update, which finishes that, set all properties, not only those that differ from the old: docs/rules-for-a-handler.md#update"
			}
		}
		began = began || c.Method == "Create" && c.Error != ""
	}
	return ""
}

// second is for what a Delete leaves beside the thing that it removes.
func second(s scene) string {
	named := func(id string) bool {
		return slices.ContainsFunc(s.calls(), func(c simulate.Call) bool { return c.Created == id })
	}
	for _, q := range s.requests {
		for _, other := range s.left {
			rest, begins := strings.CutPrefix(other, q.PhysicalID)
			removed := q.Type == "Delete" && q.Outcome == string(engine.Succeeded) && !slices.Contains(s.left, q.PhysicalID)
			if s.harm == leftBehind && removed && begins && strings.IndexAny(rest, separators) == 0 && !named(other) {
				return "The Delete of " + q.PhysicalID + " removed it and left " + other + ": have Delete remove all that Create made: docs/recipes.md#two-objects-behind-one-resource"
			}
		}
	}
	return ""
}

// unmarked is for a thing that no Find found after a Create.
func unmarked(s scene) string {
	line := s.ops.String()
	if s.harm != leftBehind || strings.Contains(line, "=case]") || strings.Contains(line, "=spaces]") {
		return "" // a name may not be found because of how it is written
	}
	made, named, missed := false, "", false
	for _, q := range s.requests {
		made = made && q.Type == "Delete" // another request may be of another identity
		for _, c := range q.Calls() {
			missed = missed || made && c.Method == "Find" && c.Returned == "" && c.Error == ""
			made = made || c.Method == "Create"
			switch {
			case slices.Contains(s.left, c.Returned):
				return ""
			case slices.Contains(s.left, c.Created):
				named, missed = c.Created, false
			}
		}
	}
	const lag = ". If searches show a new thing only after a while, set Options.FindLag to that time: docs/recipes.md#lists-that-lag"
	switch {
	case !missed:
		return ""
	case named != "":
		return "Find did not find " + named + ", which Create had named: have it search for the mark that Create sets, and go by nothing in memory" + lag
	}
	return "Find did not see what Create had made: set the mark in the call that makes the thing. If the service cannot, pass IdempotencyToken, and call Created in the next line: docs/recipes.md#client-tokens" + lag
}

// lastDelete returns the last call that was to delete one of the things that are left, and whether it reached the service. It
// returns none if the thing may have been made after its Delete.
func (s scene) lastDelete() (last simulate.Call, asked bool) {
	for _, q := range s.requests {
		if q.Outcome == string(engine.Cancelled) || q.Fault.Kind == fault.Late {
			return simulate.Call{}, false
		}
		for _, d := range q.Deliveries {
			for _, c := range d.Calls {
				if c.Method == "Delete" && slices.Contains(s.left, c.PhysicalID) {
					last, asked = c, d.Steps > 0
				}
			}
		}
	}
	return last, asked
}

// vainDelete is for a thing whose last Delete returned no error.
func vainDelete(s scene) string {
	last, asked := s.lastDelete()
	again := false // it was made, or built anew, after that
	for _, c := range s.calls() {
		again = c != last && (again || c.Created == last.PhysicalID || c.Method == "Update" && c.PhysicalID == last.PhysicalID)
	}
	switch {
	case s.harm != leftBehind || last.Method == "" || last.Error != "" || again || slices.ContainsFunc(s.requests, simultaneous):
		return ""
	case s.ops.has(before):
		return fmt.Sprintf("The Delete of %s returned no error, and did not remove what a former program had made: delete what has the physical ID, whatever mark it bears: docs/rules-for-a-handler.md#delete", last.PhysicalID)
	case !asked && slices.ContainsFunc(s.requests, func(q simulate.Request) bool { return q.FirstSteps() > 0 }):
		return fmt.Sprintf("The Delete of %s returned no error, and did not remove it: it asked the service nothing. Delete what has the physical ID, whatever a process or a record remembers: docs/rules-for-a-handler.md#delete", last.PhysicalID)
	}
	return fmt.Sprintf("The Delete of %s returned no error, and did not remove it: remove the thing under PhysicalID, and return the error if that fails: docs/rules-for-a-handler.md#delete", last.PhysicalID)
}
