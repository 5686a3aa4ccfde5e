package play

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// dataSame compares the Data of several answers about one thing. It prints no values.
func dataSame(s *suite) error {
	r := s.newRun()
	create := s.createEvent(s.Properties)
	made := r.deliver(create)
	if r.err == nil && made.Status != "SUCCESS" {
		return unjudgedError("a Create is not answered SUCCESS")
	}
	for _, again := range []struct {
		what  string
		event []byte
	}{
		{"a second delivery of the Create", create},
		{"an Update to the same properties", s.updateEvent(made.PhysicalResourceID, s.Properties, s.Properties)},
	} {
		if s.Neither && bytes.Equal(again.event, create) {
			continue // it makes another thing
		}
		r.wait(30 * time.Second)
		a := r.deliver(again.event)
		if names := differentKeys(made.Data, a.Data); a.Status == "SUCCESS" && len(names) > 0 {
			advice := "Return what the service stores: no time, and no random value"
			if value := a.Data[names[0]]; value == nil || value == "" {
				advice = returnAllData
			}
			return helped(r.failf("Data differs between the Create and %s, in %s", again.what, strings.Join(names, ", ")), advice)
		}
	}

	// Data that came late.
	r.wait(time.Hour)
	later := r.deliver(s.updateEvent(made.PhysicalResourceID, s.Properties, s.Properties))
	for _, name := range differentKeys(made.Data, later.Data) {
		if was := made.Data[name]; later.Status == "SUCCESS" && (was == nil || was == "") {
			return r.failf("%s in Data is empty in the answer to the Create, but not in the answer to an Update an hour later: the resource was not ready", name)
		}
	}
	return r.err
}

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
	for _, ch := range s.changes(original) { // Data that grows with a property
		if ch.Kind != manyEntries && ch.Kind != "least" {
			continue
		}
		r := s.newRun()
		fits := !tooLarge(r.deliver(s.createEvent(s.version(ch.in(original)))))
		if more := (change{Path: ch.Path, Kind: "1001"}).in(original); fits && r.largest > almostFull/3 && s.version(more) != nil {
			fits = !tooLarge(s.newRun().deliver(s.createEvent(s.version(more))))
			ch.Kind = "1001"
		}
		if !fits {
			return r.failf("with %s (%s) the answer is larger, so the SDK answered FAILED: return less Data, or refuse so large a property with the code InvalidRequest", ch.Path, ch.Kind)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(empty)) {
		if empty[name] {
			s.warnf("%s in Data is empty in every answer: return it, or leave it out", name)
		}
	}
	return nil
}

// stringifiedProperties compares the thing that the handler makes of native numbers and
// booleans with the one that it makes of strings, as CloudFormation sends them.
func stringifiedProperties(s *suite) error {
	sent := s.createEvent(s.Properties)
	asWritten := simulate.NativeValues(sent, s.Properties)
	if bytes.Equal(asWritten, sent) {
		return missingError("no property is a number or a boolean")
	}
	r, other := s.newRun(), s.newRun()
	want := other.deliver(asWritten)
	got := r.deliver(s.createEvent(s.Properties)) // a new event: sent's deadline may have passed
	switch {
	case other.err != nil || r.err != nil:
		return cmp.Or(other.err, r.err)
	case got.Status != "SUCCESS" && want.Status != "SUCCESS":
		return unjudgedError("a Create is not answered SUCCESS")
	case got.Status != "SUCCESS":
		return r.failf("the Create is answered FAILED, but with native numbers and booleans it succeeds")
	case want.Status != "SUCCESS":
		return nil // and CloudFormation sends none
	}
	texts, natives := r.state(got.PhysicalResourceID), other.state(want.PhysicalResourceID)
	if !reflect.DeepEqual(texts, natives) {
		return r.failf("the state is\n\t%s\nand with native numbers and booleans\n\t%s", shorten(texts), shorten(natives))
	}
	return nil
}

// redeliveredDoesNoMore compares the effects that cannot be undone: of events that are handled once, and of events that
// come again, whose process dies at some Step, or whose service fails at a Step though they succeed.
func redeliveredDoesNoMore(s *suite) error {
	if s.newRun().service.Effects == nil {
		return missingError("set the Service's Effects, if the handler has effects that cannot be undone, such as mails")
	}
	for _, t := range s.tasks() {
		once := s.play(t, nil)
		steps, err := s.stepsOf(t)
		if err = cmp.Or(once.err, err); err != nil {
			return err
		}
		faults := []fault.Fault{{Kind: fault.Redeliver}, {Kind: fault.DieAfter}}
		if !s.RealTime {
			faults = slices.Concat(faults, failures(fault.DieAtStep, steps), failures(fault.FailAtStep, steps), failures(fault.ThrottleAtStep, steps))
		}
		for _, f := range faults {
			f.Request = t.request
			again := s.play(t, func(r *run) { r.inject(f) })
			fails := f.Kind == fault.FailAtStep || f.Kind == fault.ThrottleAtStep
			if again.err != nil && fails {
				continue // another check says it
			}
			if again.err != nil {
				return again.err
			}
			got, want := again.service.Effects(), once.service.Effects()
			if sameState(got, want) || fails && !again.survived() {
				continue
			}
			what := "delivered once"
			if fails {
				what = "handled while the service does not fail"
			}
			return again.failf("the effects of the %s differ from those of one that is %s:\n%s", t.request, what, differences(got, want))
		}
	}
	return s.updateHasAnEffect()
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

// updateHasAnEffect fails if neither Data nor Effects shows the work of an Update, and there is no State that could.
func (s *suite) updateHasAnEffect() error {
	if s.InPlace == nil || s.newRun().service.State != nil {
		return nil
	}
	created, updated, back := s.newRunOf(s.Properties), s.play(s.updates(), nil), s.play(s.updates(), nil)
	back.deploy(s.Properties)
	if err := cmp.Or(created.err, updated.err, back.err); err != nil {
		return err
	}
	if sameState(created.service.Effects(), updated.service.Effects()) && reflect.DeepEqual(created.stack.Data(thing), updated.stack.Data(thing)) {
		return updated.failf("Effects and Data are the same with Properties alone and after an Update to InPlace: the Update does nothing, or nobody sees it")
	}
	if first := created.service.Effects(); !sameState(first, updated.service.Effects()) && sameState(updated.service.Effects(), back.service.Effects()) {
		return back.failf("the Update to InPlace has an effect, but the Update back to Properties has none: the handler takes it for the first request")
	}
	return nil
}

// survived reports whether the request that met its fault was answered SUCCESS.
func (r *run) survived() bool {
	return slices.ContainsFunc(r.stack.Requests(), func(q simulate.Request) bool { return q.FaultHit && q.Outcome == string(engine.Succeeded) })
}
