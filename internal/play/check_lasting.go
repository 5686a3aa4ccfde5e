package play

import (
	"errors"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// The checks here play what does not pass: a wait that never ends, and a service that
// refuses for good. A handler that tries again survives the rest. And they play what does: time.

// neverReady plays a task in which no Poll becomes ready, and checks what came of it.
func (s *suite) neverReady(t task, kind simulate.FaultKind, check func(r *run, id string)) error {
	r, id := s.playWith(t, simulate.Fault{Kind: kind})
	if r.err == nil && !slices.ContainsFunc(r.stack.Requests(), func(q simulate.Request) bool { return q.PollHeld }) {
		return missingError("the " + t.request + " waits in no Poll")
	}
	check(r, id)
	return r.err
}

func createNeverReady(s *suite) error {
	return s.neverReady(s.creates(), simulate.NeverReady, func(r *run, _ string) {
		r.mustBeIn(lifecycle.StackRollbackComplete)
		r.checkNothingLeft()
	})
}

func updateNeverReady(s *suite) error {
	return s.neverReady(s.updates(), simulate.NeverReady, (*run).checkRolledBack)
}

// replaceNeverReady also has the service refuse what a handler does that tidies up by itself.
func replaceNeverReady(s *suite) error {
	err := s.neverReady(s.replaces(), simulate.NeverReady, (*run).checkNoneUnnamed)
	if err == nil {
		err = s.neverReady(s.replaces(), simulate.NeverReadyRefused, (*run).checkNoneUnnamed)
	}
	return s.unlessOverwriting(err)
}

// refused plays a task whose Steps are refused, from each of them on.
func (s *suite) refused(t task, check func(r *run, id string)) error {
	from := func(steps int) []simulate.Fault { return failures(simulate.RefuseFromStep, steps) }
	return s.eachFault(t, from, func(r *run, id string, _ simulate.Fault) { check(r, id) })
}

func createRefused(s *suite) error {
	return s.refused(s.creates(), func(r *run, _ string) { r.checkCreated(s.Properties) })
}

func updateRefused(s *suite) error { return s.refused(s.updates(), (*run).checkUpdated) }

// replaceRefused allows one step that leaves the new thing, as replaceFailedNothingLeft.
func replaceRefused(s *suite) error {
	unsaid := false
	return s.unlessOverwriting(s.refused(s.replaces(), func(r *run, id string) {
		if r.err != nil || r.status() == lifecycle.StackUpdateComplete {
			return
		}
		if r.checkNoneUnnamed(id); r.err != nil && !unsaid {
			unsaid, r.err = true, nil
		}
	}))
}

// checkNoneUnnamed allows what Create has named, for whose removal there may be no time.
func (r *run) checkNoneUnnamed(id string) {
	known := idSet{id: true}
	for _, d := range r.deliveries("Update") {
		for _, c := range d.Calls {
			known.add(c.Created)
		}
	}
	if left := slices.DeleteFunc(r.remaining(), func(other string) bool { return known[other] }); len(left) > 0 {
		r.err = r.failf("there is still %v, and Create did not call Created for it", left)
	}
}

// unlessOverwriting excuses a Create that cannot know what it makes.
func (s *suite) unlessOverwriting(err error) error {
	if errors.As(err, new(*ruleError)) && s.createOverwrites() {
		return missingError("Create puts over what is there, and so cannot call Created: a replacement that fails leaves what it has put (docs/rough_edges.md). If the service can be asked, ask first (docs/recipes.md#put-only)")
	}
	return err
}

// ages are those that make a difference: of a token, of a record that is kept, and of a date in the properties.
var ages = []time.Duration{2 * time.Hour, 30 * 24 * time.Hour, 2 * 365 * 24 * time.Hour}

// timePasses has a resource live for long, in new processes and in one that has lived as long.
func timePasses(s *suite) error {
	if s.RealTime {
		return missingError("it would last, in real time")
	}
	for i, age := range slices.Concat(ages, ages) {
		for _, props := range append(given(s.InPlace), nil) { // nil deletes it
			r := s.newRunWith(simulate.Options{Warm: i >= len(ages)})
			r.mustDeploy(s.Properties)
			id := r.id()
			r.wait(age)
			if props != nil {
				r.mustReach(lifecycle.StackUpdateComplete, props)
				r.checkKept(id, props)
			} else {
				r.destroy()
				r.mustBeIn(lifecycle.StackDeleteComplete)
				r.checkNothingLeft()
			}
			if r.err != nil {
				return r.err
			}
		}
	}
	return nil
}
