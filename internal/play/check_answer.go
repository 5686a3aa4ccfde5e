package play

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// differentKeys returns the keys whose values differ.
func differentKeys(a, b map[string]any) (names []string) {
	for name, value := range a {
		if other, ok := b[name]; !ok || !reflect.DeepEqual(value, other) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// almostFull is the size above which an answer causes a warning: in production,
// stacks and resources may have longer names.
const almostFull = 3000

// tooLarge reports whether the dispatcher sent the answer in place of one that CloudFormation would refuse as too large.
func tooLarge(a answercheck.Response) bool {
	return a.Status == "FAILED" && strings.Contains(a.Reason, "more than CloudFormation accepts")
}

func answerFits(s *suite) error {
	// The Contract's own properties.
	empty := map[string]bool{} // whether an attribute was empty so far
	for _, props := range given(s.Properties, s.InPlace, s.Replacing) {
		r := s.newRun()
		made := r.deliver(s.createEvent(s.Properties))
		updated := r.deliver(s.updateEvent(made.PhysicalResourceID, props, s.Properties))
		if r.err != nil {
			return r.err
		}
		for _, a := range []answercheck.Response{made, updated} {
			if tooLarge(a) {
				return r.failf("the answer is larger, so the SDK answered FAILED: return less Data")
			}
			for name, value := range a.Data {
				was, seen := empty[name]
				empty[name] = (was || !seen) && (value == nil || value == "")
			}
		}
		if r.largest > almostFull {
			s.warnf("an answer has %d of %d bytes: return less Data", r.largest, answercheck.MaxAnswer)
		}
	}

	// Data that grows with a property: with a list of many entries, or a number a hundred times as large.
	for _, ch := range s.changes(original) {
		if ch.Kind != entries && ch.Kind != least {
			continue
		}
		r := s.newRun()
		fits := !tooLarge(r.deliver(s.createEvent(s.version(ch.in(original)))))
		if !fits {
			return r.failf("with %s (%s) the answer is larger, so the SDK answered FAILED: return less Data, or refuse so large a property with the code InvalidRequest", ch.Path, ch.Kind)
		}
	}

	// Attributes that nobody can use.
	for _, name := range slices.Sorted(maps.Keys(empty)) {
		if empty[name] {
			s.warnf("%s in Data is empty in every answer: return it, or leave it out", name)
		}
	}
	return nil
}

// deniedIsTriedAgain plays a service that denies the first calls. A method may give a denial a meaning of its own, and with
// it another code. One without a code shows that the code was lost on the way.
func deniedIsTriedAgain(s *suite) error {
	for _, t := range s.tasks() {
		r := s.play(t, func(r *run) { r.inject(fault.Fault{Kind: fault.DeniedAtFirst, Request: t.request}) })
		for _, q := range r.stack.Requests() {
			if !q.FaultHit || q.Outcome != string(engine.Failed) {
				continue
			}
			for _, c := range q.Calls() {
				if c.Code == "" && strings.Contains(c.Error, simulate.NotYetAllowed) {
					return r.failf("the service's error had the code AccessDenied, but %s's has no code, so the %s is answered FAILED at the first try", c.Method, q.Type)
				}
			}
		}
	}
	return nil
}
