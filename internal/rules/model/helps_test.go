package model

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestWhatHelps plays histories as they are, among which each of these limits shows, and again with
// what docs/rough_edges.md says against it, with which none shows it.
func TestWhatHelps(t *testing.T) {
	n := testrun.Share(5_000, 20_000)
	if *histories > 0 {
		n = *histories
	}
	for _, limit := range []string{shortenedTimeout, changedIdentity, changedStable, skippedRollback, shortLook, preservedTwice, secondChain, unknownProperty} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			show := countShowing(t, n, limit, "")
			t.Logf("%d of %d histories show it", show, n*len(kinds))
			if show == 0 {
				t.Error("no history shows it")
			}
			if show = countShowing(t, n, limit, limit); show > 0 {
				t.Errorf("%d show it with what helps", show)
			}
		})
	}
}

// countShowing counts the histories that show a limit, among those in which only changes it. What helps
// against the limit helped is done. A harm without a name fails the test.
func countShowing(t *testing.T, n int, limit, helped string) (count int) {
	w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}, changing: true, aims: limit, helped: helped}
	for _, k := range kinds {
		for seed := range uint64(n) {
			switch found := w.play(k, seed); {
			case len(found) == 0:
			case found[0].limit == limit:
				if count++; helped != "" && count == 1 {
					t.Logf("%s, seed %d:\n%s", k.name, seed, w.story(k, seed))
				}
			case found[0].limit == "":
				t.Fatalf("%s, seed %d:\n%s", k.name, seed, w.story(k, seed))
			}
		}
	}
	return count
}

// story plays a history again, and tells it.
func (w *world) story(k kind, seed uint64) string {
	w.tells = true
	w.play(k, seed)
	w.tells = false
	return strings.Join(w.told, "\n")
}

// scripted returns a world in which a stack with other resources has none of this kind yet.
func scripted(k kind) *world {
	w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}, tells: true, k: &k, revision: firstRevision}
	w.now = 1_000_000 * second
	*w.stack = stack{world: w, grown: true}
	w.stack.show()
	return w
}

// An update raises the function's timeout and adds a resource whose Create takes 250 s. Another resource
// fails, and the rollback restores the timeout: the Delete waits for as long as its own invocation may take.
func TestACreateOutlivesAShortenedTimeout(t *testing.T) {
	short, long := firstRevision, firstRevision
	long.timeout = longTimeout
	patient, longPatient := short, long
	patient.grace, longPatient.grace = longTimeout, longTimeout
	for name, tt := range map[string]struct {
		kind     kind
		first    revision
		next     revision
		occasion occasion
		limit    string
	}{
		"in one deployment":              {kind{}, short, long, within, shortenedTimeout},
		"LostGrace is of no use":         {kind{}, patient, longPatient, within, shortenedTimeout},
		"the phase undoes the Create":    {kind{phase: true}, short, long, within, ""},
		"in a deployment of its own":     {kind{}, short, long, alone, ""},
		"the timeout was as long before": {kind{}, long, long, within, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := scripted(tt.kind)
			w.revision = tt.first
			w.stack.play(&step{to: 1, how: cancelled, head: 10 * second, slow: 125 * second, occasion: tt.occasion, former: tt.first, revision: tt.next})
			w.drain()
			w.stack.audit()
			got := ""
			if len(w.found) > 0 {
				got = w.found[0].limit
			}
			if got != tt.limit || len(w.found) > 0 != (tt.limit != "") {
				t.Errorf("it shows %q, want %q\n%s", got, tt.limit, strings.Join(w.told, "\n"))
			}
		})
	}
}

// The service's LastUpdatedTime may be a little ahead of the first event of its operation: that is not one of an earlier
// operation. Here the event is sent two seconds after the operation began, and known to the second.
func TestLastUpdatedTimeMayBeAheadOfTheEvent(t *testing.T) {
	refusals := func(ahead, tolerated int) (refused, unnamed int) {
		w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}, ahead: ahead, allowed: tolerated}
		for seed := range uint64(testrun.Share(4_000, 30_000)) {
			for _, k := range kinds {
				if found := w.play(k, seed); len(found) > 0 && found[0].limit == "" {
					unnamed++
				}
			}
		}
		t.Logf("%d ms ahead, %d s allowed: %d events refused, %d harms without a name", ahead-2*second, tolerated/second, w.refusals, unnamed)
		return w.refusals, unnamed
	}
	exact, _ := refusals(2*second, allowed)
	if strict, _ := refusals(2300, second); strict <= exact {
		t.Errorf("within a second, %d events are refused, as with exact times", strict)
	}
	if refused, unnamed := refusals(2300, allowed); refused != exact || unnamed > 0 {
		t.Errorf("%d events are refused, want %d; %d histories do harm", refused, exact, unnamed)
	}
}

// A stack at rest that does not know a resource has not given up what an event made: a policy may have kept
// that when the resource left the template. Its event would delete it, if it were taken for given up.
func TestAStackAtRestMayHaveRetainedWhatItDoesNotKnow(t *testing.T) {
	for _, hasty := range []bool{false, true} {
		w := scripted(kind{phase: true})
		w.hasty = hasty
		// A Create comes twice. One delivery hangs, the other one answers; then an update takes the resource out.
		w.stack.play(&step{to: 1, fault: &fault{where: done, what: hangs, twice: second, other: &fault{}}})
		w.stack.play(&step{takesOut: true, how: retains})
		w.drain()
		if alive := w.read("stable-a") != nil; alive == hasty {
			t.Errorf("it is there: %t, want %t\n%s", alive, !hasty, strings.Join(w.told, "\n"))
		}
	}
}
