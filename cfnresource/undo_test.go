package cfnresource_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A replacement fails after its effect, and the service refuses to delete what
// is being created, for minutes. Meanwhile the update is cancelled, rolled back
// and deployed again, which adopts the thing: the old undo must leave it.
func TestOldUndoSparesWhatWasDeployedAgain(t *testing.T) {
	phaseAt := func(o *cfnresource.Options) {
		start := time.Now()
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			switch since := time.Since(start); {
			case since < time.Minute:
				return lifecycle.PhaseUpdating, nil
			case since < 2*time.Minute:
				return lifecycle.PhaseUpdateRollback, nil
			default: // of another operation, as stackphase tells by its time
				return lifecycle.PhaseNotAwaited, nil
			}
		}
	}
	for name, optFns := range map[string][]func(*cfnresource.Options){"phase unknown": nil, "phase known": {phaseAt}} {
		for how, repeat := range repeats {
			subtest(t, name+", "+how, func(t *testing.T) {
				s := &service{}
				expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
				s.busy = 4 * time.Minute
				h := s.failsAfterCreated(repeat)
				var wg sync.WaitGroup
				wg.Go(func() { within(t, 15*time.Minute, h, updated("svc-1", "a", "b"), optFns...) })
				<-time.After(3 * time.Minute)
				expect(t, s.found(), updated("svc-1", "a", "b"), "SUCCESS", "svc-2") // adopted
				wg.Wait()
				s.busy = 0
				expect(t, s.found(), deleted("svc-1"), "SUCCESS", "svc-1")
				s.holds(t, "svc-2")
			})
		}
	}
}

// repeats are the ways in which a Delete may try again what the service refuses.
var repeats = map[string]func(ctx context.Context, remove func(context.Context) error) error{
	"by the dispatcher": func(ctx context.Context, remove func(context.Context) error) error { return remove(ctx) },
	"by Retry":          cfnresource.Retry,
	"by Poll": func(ctx context.Context, remove func(context.Context) error) error {
		return cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) { return true, remove(ctx) })
	},
}

// failsAfterCreated returns a handler whose Create fails after its effect, and whose
// Delete repeats the call.
func (s *service) failsAfterCreated(repeat func(context.Context, func(context.Context) error) error) *finder {
	h := s.found()
	makes := h.onCreate
	h.onCreate = func(ctx context.Context, req *create) (data, error) {
		_, _ = makes(ctx, req)
		return nil, errSome
	}
	h.onDelete = func(ctx context.Context, req *del) error {
		return repeat(ctx, func(context.Context) error { return s.remove(req.PhysicalID) })
	}
	return h
}

// While a stack rolls back, nobody waits for the replacement that it has overtaken. Its
// undo goes on: no later event names what was made.
func TestUndoInARollbackGoesOn(t *testing.T) {
	all := maps.Clone(repeats)
	all["by waiting"] = func(ctx context.Context, remove func(context.Context) error) error {
		return cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) { return remove(ctx) == nil, nil })
	}
	for how, repeat := range all {
		subtest(t, how, func(t *testing.T) {
			s := &service{}
			expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
			s.busy = 2 * time.Minute
			continues := func(o *cfnresource.Options) { o.Continue = func(context.Context, []byte) error { return nil } }
			within(t, patient, s.failsAfterCreated(repeat), updated("svc-1", "a", "b"), tells(lifecycle.PhaseUpdating, lifecycle.PhaseUpdateRollback).option, continues)
			s.holds(t, "svc-1")
		})
	}
}

// A Create whose event comes again after its stack has rolled an update back
// makes the same thing again, by its client token: what the stack has under the
// logical ID is in use, which the phase says.
func TestLateCreateSparesWhatIsInUse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{}
		s.add("", 1)
		again := creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil })
		again.onDelete = s.found().onDelete
		phase := func(o *cfnresource.Options) {
			o.Phase = func(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
				if op.CreatedID == "svc-1" { // DescribeStackResource has it, and it is not being deleted
					return lifecycle.PhaseNotAwaited, nil
				}
				return lifecycle.PhaseGivenUp, nil
			}
		}
		within(t, time.Minute, again, created(object{"age": 11 * time.Second}), phase)
		s.holds(t, "svc-1")
	})
}

// What a failed replacement made is busy for 8 s. Where it is known that the update goes on, the
// undo waits for it; else CloudFormation is told the new ID, and deletes it.
func TestUndoOfWhatIsBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		optFns []func(*cfnresource.Options)
		id     string
	}{
		"phase known":   {[]func(*cfnresource.Options){tells(lifecycle.PhaseUpdating).option}, "svc-1"},
		"phase unknown": {nil, "svc-2"},
	} {
		subtest(t, name, func(t *testing.T) {
			s := &service{}
			expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
			s.busy = 8 * time.Second
			h := s.failsAfterCreated(repeats["by the dispatcher"])
			expect(t, h, updated("svc-1", "a", "b"), "FAILED", tt.id, tt.optFns...)
			if tt.id == "svc-2" { // S41
				<-time.After(8 * time.Second)
				expect(t, s.found(), event("Delete", object{"PhysicalResourceId": "svc-2", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-2")
			}
			s.holds(t, "svc-1")
		})
	}
}

// The name of what succeeded without a word is not known to be this call's
// work: in a rollback, a Create that puts has met the resource in use.
func TestStableIDThatWasNotNamedIsNotUndone(t *testing.T) {
	h := creates(func(context.Context, *create) (data, error) {
		return data{"Big": strings.Repeat("x", 5000)}, nil
	})
	got := invoke(t, dispatcher(h), updated(stable("b"), "b", "a"))
	if got.Status != "FAILED" || got.PhysicalResourceId != stable("b") || len(h.calls) != 1 {
		t.Errorf("%s %s, calls %q; want FAILED %s and no Delete", got.Status, got.PhysicalResourceId, h.calls, stable("b"))
	}
}

// What Find would find after a replacement that failed may be another request's
// work: only what this call said Created is undone.
func TestReplacementThatFailedIsNotLookedFor(t *testing.T) {
	h := &finder{}
	h.onCreate = func(context.Context, *create) (data, error) {
		h.onFind = finds(map[string]string{"a": "svc-1", "b": "svc-2"}) // made, though the call failed
		return nil, errSome
	}
	h.onFind = finds(map[string]string{"a": "svc-1"})
	got := invoke(t, dispatcher(h), updated("svc-1", "a", "b"))
	if got.Status != "FAILED" || got.PhysicalResourceId != "svc-1" {
		t.Errorf("%s %s, want FAILED svc-1", got.Status, got.PhysicalResourceId)
	}
	if slices.ContainsFunc(h.calls, func(call string) bool { return strings.HasPrefix(call, "Delete") }) {
		t.Errorf("calls %q, want no Delete", h.calls)
	}
}

// The Delete that undoes waits until the invocation ends. If a try of its Poll was
// answered, the service deletes the thing, and the answer keeps the resource that the
// stack has. If every try failed, CloudFormation is told what to delete.
func TestUndoThatWaits(t *testing.T) {
	busy := cfnresource.Errorf(cfnresource.CodeResourceConflict, "it is being created")
	for name, tt := range map[string]struct {
		tries  []error // the last one from then on
		within bool    // another Poll
		id     string
		why    string
	}{
		"the service deletes it":          {[]error{nil}, false, stable("a"), "is being deleted"},
		"which it refused at first":       {[]error{busy, nil}, false, stable("a"), "is being deleted"},
		"the service refuses it":          {[]error{busy}, false, stable("b"), "is left for the stack to delete"},
		"what fails last was taken on":    {[]error{nil, busy}, false, stable("a"), "is being deleted"},
		"a Poll within a Poll":            {[]error{nil}, true, stable("a"), "is being deleted"},
		"which is refused":                {[]error{busy}, true, stable("b"), "is left for the stack to delete"},
		"two parts, of which one refused": {nil, false, stable("b"), "is left for the stack to delete"},
	} {
		subtest(t, name, func(t *testing.T) {
			h := creates(func(_ context.Context, req *create) (data, error) {
				req.Created(req.StableID())
				return nil, errSome
			})
			i := -1
			tries := func(context.Context) (bool, error) {
				i = min(i+1, len(tt.tries)-1)
				return false, tt.tries[i]
			}
			part := func(ctx context.Context, err error) error {
				return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, err })
			}
			h.onDelete = func(ctx context.Context, _ *del) error {
				switch {
				case tt.tries == nil:
					refused := make(chan error)
					go func() { refused <- part(ctx, busy) }()
					return errors.Join(part(ctx, nil), <-refused)
				case tt.within:
					return cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
						return false, cfnresource.Poll(ctx, time.Second, tries)
					})
				default:
					return cfnresource.Poll(ctx, time.Second, tries)
				}
			}
			got := expect(t, h, updated(stable("a"), "a", "b"), "FAILED", tt.id)
			if !strings.Contains(got.Reason, "What was made "+tt.why) {
				t.Errorf("the Reason is %q, want that it %s", got.Reason, tt.why)
			}
		})
	}
}

// One delivery of a replacement creates, the other one adopts and succeeds, and then the first one
// fails. The stack shows after a while what it was answered with: that is in use, and stays.
func TestUndoSparesWhatAnotherDeliveryAnswered(t *testing.T) {
	for name, tt := range map[string]struct {
		fails, shown time.Duration // since the first one began
		refused      int32         // questions
		stays        bool
	}{
		"shown before it fails":              {3 * time.Second, 2 * time.Second, 0, true},
		"shown, where a question failed":     {3 * time.Second, 2 * time.Second, 1, true},
		"shown soon after":                   {3 * time.Second, 7 * time.Second, 0, true},
		"shown when there is no time left":   {26900 * time.Millisecond, 26 * time.Second, 0, true},
		"nothing is shown, and it is undone": {3 * time.Second, time.Hour, 0, false},
	} {
		subtest(t, name, func(t *testing.T) {
			start := time.Now()
			var there atomic.Bool
			var questions atomic.Int32
			phase := func(o *cfnresource.Options) {
				o.Phase = func(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
					if op.CreatedID == stable("b") && time.Since(start) >= tt.shown {
						if questions.Add(1) <= tt.refused {
							return lifecycle.PhaseUnknown, errSome
						}
						return lifecycle.PhaseNotAwaited, nil
					}
					return lifecycle.PhaseUpdating, nil
				}
			}
			h := creates(func(_ context.Context, req *create) (data, error) {
				if there.Swap(true) {
					return nil, cfnresource.AlreadyExists(req.StableID())
				}
				req.Created(req.StableID())
				<-time.After(tt.fails)
				return nil, errSome
			})
			h.onDelete = func(context.Context, *del) error { there.Store(false); return nil }
			var both sync.WaitGroup
			both.Go(func() { expect(t, h, updated(stable("a"), "a", "b"), "FAILED", stable("a"), phase) })
			<-time.After(time.Second)
			expect(t, h, updated(stable("a"), "a", "b"), "SUCCESS", stable("b"), phase)
			if both.Wait(); there.Load() != tt.stays {
				t.Errorf("what the other delivery answered is there: %t", there.Load())
			}
		})
	}
}

// A replacement fails over a property that cannot be read. Its rollback is an Update
// like another; it must lead back to the resource, whatever its ID looks like.
func TestRollbackOfAFailedReplacementLeadsBack(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler func(*service) any
		id      string
		legacy  bool // made by another library
	}{
		{"the service's own ID", func(s *service) any { return s.found() }, "svc-1", false},
		{"a name that the template chose", func(s *service) any { return s.chosen() }, "a", false},
		{"the StableID", func(s *service) any { return s.named() }, stable("a"), false},
		{"another library's ID, which nothing explains", func(s *service) any {
			h := s.named()
			h.onUpdate = func(_ context.Context, req *update) (data, error) { // whatever IdentityChanged says
				return nil, s.update(req.PhysicalID, req.Properties.Size)
			}
			return h
		}, "legacy-1", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{}
			h := tt.handler(s)
			if tt.legacy {
				s.put(tt.id, "", 1)
			} else {
				expect(t, h, created(nil), "SUCCESS", tt.id)
			}
			expect(t, h, updatedTo(tt.id, object{"Name": "b", "Size": "big"}, object{"Name": "a", "Size": "1"}), "FAILED", tt.id)
			expect(t, h, updatedTo(tt.id, object{"Name": "a", "Size": "1"}, object{"Name": "b", "Size": "big"}), "SUCCESS", tt.id)
			s.holds(t, tt.id)
		})
	}
}

// The same where the new name turns out to be a stranger's.
func TestRollbackFromATakenNameLeadsBack(t *testing.T) {
	s := &service{}
	s.put("b", "a stranger's", 1)
	h := s.chosen()
	expect(t, h, created(nil), "SUCCESS", "a")
	expect(t, h, updated("a", "a", "b"), "FAILED", "a")
	expect(t, h, updated("a", "b", "a"), "SUCCESS", "a")
	s.holds(t, "a", "b")
}

// Searches lag. A rollback comes before one shows what the update made, or an update before one shows what the Create made. Find
// reads the event's ID directly, so the first resource is found and the second deleted; also where a twin bears the second one's
// tag. None is made in its place.
func TestEventsBeforeTheSearchShows(t *testing.T) {
	for name, tt := range map[string]struct {
		lag, update, rollback time.Duration // the last two after the event before
		twin                  bool          // another delivery's, which the search shows first
	}{
		"a rollback":                  {20 * time.Second, time.Minute, 5 * time.Second, false},
		"a rollback, and a twin":      {20 * time.Second, time.Minute, 5 * time.Second, true},
		"an update, and its rollback": {5 * time.Second, time.Second, 0, false},
	} {
		subtest(t, name, func(t *testing.T) {
			s := &service{lag: tt.lag}
			expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
			<-time.After(tt.update)
			expect(t, s.found(), updated("svc-1", "a", "b"), "SUCCESS", "svc-2")
			left := []string{"svc-1"}
			if tt.twin {
				left = append(left, s.put("svc-3", stable("b"), 1))
				s.things["svc-3"].born = time.Now().Add(-time.Hour)
			}
			<-time.After(tt.rollback)
			expect(t, s.found(), updated("svc-2", "b", "a"), "SUCCESS", "svc-1")
			expect(t, s.found(), event("Delete", object{"PhysicalResourceId": "svc-2", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-2")
			s.holds(t, left...)
		})
	}
}

// A named handler gains Find. Where Find does not know what the named version
// made, a change of the identity is refused loudly, its rollback goes well, and
// an ordinary Delete still removes the thing.
func TestNamedHandlerThatGainsFind(t *testing.T) {
	a := stable("a")
	subtest(t, "Find knows the named ones", func(t *testing.T) {
		s := &service{}
		expect(t, s.named(), created(nil), "SUCCESS", a)
		knows := func() *finder {
			h := s.found()
			h.onFind = func(_ context.Context, req *find) (string, error) {
				if s.things[req.StableID()] != nil {
					return req.StableID(), nil
				}
				return s.find(req.PhysicalID, req.StableID()), nil
			}
			return h
		}
		expect(t, knows(), updated(a, "a", "b"), "SUCCESS", "svc-1")
		expect(t, knows(), updated("svc-1", "b", "a"), "SUCCESS", a)
		expect(t, knows(), event("Delete", object{"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-1")
		s.holds(t, a)
		expect(t, knows(), deleted(a), "SUCCESS", a)
		s.holds(t)
	})
	subtest(t, "it does not", func(t *testing.T) {
		s := &service{}
		expect(t, s.named(), created(nil), "SUCCESS", a)
		expect(t, s.found(), updated(a, "a", "b"), "FAILED", a)
		expect(t, s.found(), updated(a, "b", "a"), "SUCCESS", a)
		s.holds(t, a)
		expect(t, s.found(), deleted(a), "SUCCESS", a)
		s.holds(t)
	})
}

// An ID of another library's is explained by nothing. A stray thing that bears
// the new StableID must not take its place.
func TestAnotherLibrarysIDIsNotReplacedByAStray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{}
		s.put("old-1", "", 1)
		s.add(stable("b"), 1)
		expect(t, s.found(), updated("old-1", "a", "b"), "FAILED", "old-1") // NotUpdatable, loudly
		s.holds(t, "old-1", "svc-1")
	})
}
