// Package model plays CloudFormation, Lambda and a service over package rules:
// random histories with failures, deaths, lag, and deliveries that come late,
// twice or at once. It has no JSON, no contexts and no sleeping, and shares
// nothing with the simulator. What it may find is named in docs/rough_edges.md.
//
// A history is up to four deployments of one resource and the stack's deletion. Each may go well,
// be cancelled, be retained or preserved, or meet another resource's failure, and may have a fault:
// an error, panic or hang before or after the effect, a process that dies, an answer that is lost,
// deliveries that come twice, late or at once, of which one may fail. The service lags in its
// searches, is busy with what it has just made, takes a while to delete, and gives names or takes
// them. The stack tells its phase as it is, or late, or not at all. Handlers are named, found or
// neither, with and without client tokens, Created, PUT and a phase, and some break their contract.
// Where CloudFormation's behaviour is not known, one of three readings is drawn.
//
// In half of the histories the function changes, too: another revision of it has another timeout, FindLag
// or StableIDs, takes other properties for the same identity, or does not know one. It is deployed alone, with
// the resource, whose rollback restores it, or into a stack at rest after a failure. There the resource also
// joins and leaves a stack, rollbacks are skipped, and updates are preserved one after the other.
//
// Harm is a live, retained or strange thing that is deleted or changed, something
// that is left behind, a failure without a cause, a wrong state, or an ID that
// changes without a reason. TestHistories fails for harm without a name in
// limits_test.go, and for a name that no history shows any more.
//
// The model is made from AWS's documents and from public reports: where they are
// wrong, it is. It has no nested stacks, no change sets and no frozen processes. A
// limit excuses a history, and a second harm in it is not looked at.
package model

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

var histories = flag.Int("histories", 0, "how many to play of each kind")

var kinds = []kind{
	{name: "named", naming: byStableID},
	{name: "found", naming: byService, finds: true, token: true},
	{name: "found, without client tokens", naming: byService, finds: true},
	{name: "found, by the template's name", naming: byTemplate, finds: true},
	{name: "neither", naming: byService},
}

// TestHistories plays random histories of each kind of handler, and finds nothing but what
// docs/rough_edges.md names. Among all of them, each of these limits shows.
func TestHistories(t *testing.T) {
	n := testrun.Share(20_000, 300_000)
	if *histories > 0 {
		n = *histories
	}
	var shown sync.Map
	t.Run("kinds", func(t *testing.T) {
		for i := range 2 * len(kinds) {
			k, changing := kinds[i/2], i%2 == 1
			name := k.name
			if changing {
				name += ", and the function changes"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				counts := make(map[string]int)
				w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}, changing: changing}
				unknown := 0
				for seed := range uint64(n) {
					found := w.play(k, seed)
					if len(found) == 0 {
						continue
					}
					name := found[0].limit
					if name != "" {
						counts[name]++
						shown.Store(name, true)
						continue
					}
					if unknown++; unknown > 3 {
						break
					}
					w.tells = true
					w.play(k, seed)
					t.Errorf("seed %d:\n%s", seed, strings.Join(w.told, "\n"))
					w.tells = false
				}
				t.Logf("%d histories", n)
				for _, name := range limits {
					if counts[name] > 0 {
						t.Logf("%7d show %s", counts[name], name)
					}
				}
			})
		}
	})
	for _, name := range limits {
		if _, ok := shown.Load(name); !ok && testrun.Thorough() {
			t.Errorf("no history shows any more: %s", name)
		}
	}
}

// The table where users look up a limit has those of the model, by the same names, and says of no other that it is played.
func TestRoughEdgesNamesEachLimit(t *testing.T) {
	var listed []string
	for _, row := range testrun.Limits(t, "../../../docs/rough_edges.md") {
		if row.Played {
			listed = append(listed, row.Name)
		}
	}
	inAnyOrder := cmpopts.SortSlices(strings.Compare)
	if diff := cmp.Diff(limits, listed, inAnyOrder); diff != "" {
		t.Errorf("limits (-of the model +in docs/rough_edges.md):\n%s", diff)
	}
}

var counts = flag.Bool("counts", false, "go on after the first harm without a name, and print how many histories show one")

// TestMutants plays histories with the mutants of the rules that it is told to.
// TestMutations in the package of the rules compiles them in.
func TestMutants(t *testing.T) {
	f := flag.Lookup("mutants")
	if f == nil {
		t.Skip("there are none in these rules")
	}
	f.Value.(interface{ Each(found func() bool) }).Each(func() bool {
		w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}}
		harms := 0
		for seed := range uint64(*histories) {
			for _, k := range kinds {
				if found := w.play(k, seed); len(found) > 0 && found[0].limit == "" {
					harms++
				}
				if harms > 0 && !*counts {
					return true
				}
			}
		}
		fmt.Println("harm in", harms)
		return harms > 0
	})
}

// explained checks that what failed had a reason to.
func (s *stack) explained(r *request) {
	if !r.faulty && !r.refused && !s.troubled() {
		s.blame(causeless, nil, r)
	}
}

// failed checks that what stopped the stack had a reason to.
func (s *stack) failed(r *request, h harm) {
	if !r.faulty && !r.refused {
		s.blame(h, r.blocked, r)
	}
}

// troubled reports whether something from outside may fail a request.
func (s *stack) troubled() bool {
	if s.k.taken != 0 || s.k.rigid {
		return true
	}
	for i := range s.requests {
		if r := &s.requests[i]; i < s.sent && (r.givenUp || r.twice) {
			return true
		}
	}
	return slices.ContainsFunc(s.things, func(t *thing) bool { // something has come again, and is in the way
		return t.alive && t.by != nil && t.by.late
	})
}

// settled checks what a deployment that went well left, after which users' data is in it.
func (s *stack) settled() {
	t := s.read(s.id)
	switch {
	case t == nil:
		s.harm(missing, s.last(s.id))
		return
	case t.state == stranger:
		s.harm(strangerTaken, t)
		return
	case t.has != s.revision.means(s.p):
		s.harm(otherState, t)
	}
	s.wants = s.revision.means(s.p)
	t.state, t.data = ours, true
}

// replaced checks a successful update of what was, under the ID a.
func (s *stack) replaced(was *thing, a string, old properties) {
	changed := s.revision.reads[s.p.identity] != s.revision.reads[old.identity]
	legacy := was != nil && was.by == nil
	switch {
	case s.skipped: // it may be what the template says now
	case s.id == a && changed && s.k.explained() && was != nil && !legacy:
		s.harm(notReplaced, was)
	case s.id != a && (!changed || !s.k.explained()):
		s.harm(replacedIdly, was)
	}
	s.settled()
}

// restored checks that a rollback led back to what was.
func (s *stack) restored(was *thing, a string) {
	if s.over || was == nil {
		return
	}
	switch now := s.read(s.id); {
	case !was.alive:
		s.harm(liveDeleted, was)
	case s.skipped:
	case now != was || s.id != a:
		s.harm(otherThing, now)
	case now.has != s.wants && !s.half: // nobody has asked for it
		s.harm(otherState, now)
	}
}

// steady checks that what came late has changed nothing of the stack's.
func (s *stack) steady() {
	if s.over || s.id == "" || s.id == marker {
		return
	}
	switch t := s.read(s.id); {
	case t == nil:
		s.harm(liveDeleted, s.last(s.id))
	case t.has != s.wants && !s.half && !s.skipped:
		s.harm(otherState, t)
	}
}

// audit checks that nothing is there that nobody knows of.
func (s *stack) audit() {
	for _, t := range s.things {
		if t.alive && t.state == ours && !s.over {
			s.harm(leftBehind, t)
		}
	}
}

// last returns the thing that bore an ID last, or nil.
func (s *stack) last(id string) (found *thing) {
	for _, t := range s.things {
		if t.id == id {
			found = t
		}
	}
	return found
}
