package cfnresource_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What happened to earlier rules, each as the events that led there. Every event
// is handled by a process of its own.

// A rollback comes before a search shows what the update made. Find reads the
// event's ID directly, so the first resource is found and the second deleted;
// also where a twin bears the second one's tag.
func TestStoryRollbackBeforeTheSearchShows(t *testing.T) {
	for name, twin := range map[string]bool{"the search lags": false, "a twin hides it": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{lag: 20 * time.Second}
				expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
				<-time.After(time.Minute)
				expect(t, s.found(), updated("svc-1", "a", "b"), "SUCCESS", "svc-2")
				left := []string{"svc-1"}
				if twin { // another delivery's, which the search shows first
					left = append(left, s.put("svc-3", stable("b"), 1))
					s.things["svc-3"].born = time.Now().Add(-time.Hour)
				}
				<-time.After(5 * time.Second)
				expect(t, s.found(), updated("svc-2", "b", "a"), "SUCCESS", "svc-1")
				expect(t, s.found(), event("Delete", object{"PhysicalResourceId": "svc-2", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-2")
				s.holds(t, left...)
			})
		})
	}
}

// An ID of another library's is explained by nothing. A stray thing that bears
// the new StableID must not take its place.
func TestStoryAnotherLibrarysIDIsNotReplacedByAStray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{}
		s.put("old-1", "", 1)
		s.add(stable("b"), 1)
		expect(t, s.found(), updated("old-1", "a", "b"), "FAILED", "old-1") // NotUpdatable, loudly
		s.holds(t, "old-1", "svc-1")
	})
}

// Two deliveries of a Create meet; the Find of the one that lost then fails. Its
// answer's Delete removes what the other one made.
func TestStoryDeliveriesMeetAndFindFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{}
		h := s.found()
		working := h.onFind
		h.onCreate = func(_ context.Context, req *create) (data, error) {
			id := s.add(req.StableID(), 1) // the other delivery's
			h.onFind = func(context.Context, *find) (string, error) { return "", errSome }
			return nil, cfnresource.AlreadyExists(id)
		}
		expect(t, h, created(nil), "FAILED", stable("a"))
		h.onFind = working
		expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
		s.holds(t)
	})
}

// A replacement fails after its effect, and the service refuses to delete what
// is being created, for minutes. Meanwhile the update is cancelled, rolled back
// and deployed again, which adopts the thing: the old undo must leave it.
func TestStoryOldUndoSparesWhatWasDeployedAgain(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{}
				expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
				s.busy = 4 * time.Minute
				h := s.found()
				makes := h.onCreate
				h.onCreate = func(ctx context.Context, req *create) (data, error) {
					_, _ = makes(ctx, req)
					return nil, errSome
				}
				var wg sync.WaitGroup
				wg.Go(func() { within(t, 15*time.Minute, h, updated("svc-1", "a", "b"), optFns...) })
				<-time.After(3 * time.Minute)
				expect(t, s.found(), updated("svc-1", "a", "b"), "SUCCESS", "svc-2") // adopted
				wg.Wait()
				s.busy = 0
				expect(t, s.found(), deleted("svc-1"), "SUCCESS", "svc-1")
				s.holds(t, "svc-2")
			})
		})
	}
}

// A Create whose event comes again after its stack has rolled an update back
// makes the same thing again, by its client token: what the stack has under the
// logical ID is in use, which the phase says.
func TestStoryLateCreateSparesWhatIsInUse(t *testing.T) {
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

// A Create is cancelled at once, and makes its thing shortly before its
// function's time is over. The Delete that overtook it takes the last moment.
func TestStoryCancelledCreateMakesItsThingLate(t *testing.T) {
	for name, handler := range map[string]func(*service) any{
		"named": func(s *service) any { return s.named() },
		"found": func(s *service) any { return s.found() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{}
				slow := func(h any) any {
					f, ok := h.(*fake)
					if !ok {
						f = &h.(*finder).fake
					}
					makes := f.onCreate
					f.onCreate = func(ctx context.Context, req *create) (data, error) {
						<-time.After(53100 * time.Millisecond)
						return makes(ctx, req)
					}
					return h
				}
				var wg sync.WaitGroup
				wg.Go(func() { within(t, time.Minute, slow(handler(s)), created(nil)) })
				<-time.After(4400 * time.Millisecond)
				wg.Go(func() { within(t, time.Minute, handler(s), deleted(genID)) })
				wg.Wait()
				s.holds(t)
			})
		})
	}
}

// A Create fails after its effect without a word. Its Delete comes while the
// search lags.
func TestStoryDeleteOfAFailedCreateWaitsForTheSearch(t *testing.T) {
	for _, after := range []time.Duration{0, 2 * time.Second, 4 * time.Second, 10 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{lag: 5 * time.Second}
				h := s.found()
				h.onCreate = func(_ context.Context, req *create) (data, error) {
					s.add(req.StableID(), 1)
					return nil, errSome
				}
				expect(t, h, created(nil), "FAILED", stable("a"))
				<-time.After(after)
				expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
				s.holds(t)
			})
		})
	}
}

// An update comes before searches show what the Create made, and is rolled
// back. The first resource lives, and no second one is made for it.
func TestStoryUpdateBeforeTheSearchShows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{lag: 5 * time.Second}
		expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
		<-time.After(time.Second)
		expect(t, s.found(), updated("svc-1", "a", "b"), "SUCCESS", "svc-2")
		expect(t, s.found(), updated("svc-2", "b", "a"), "SUCCESS", "svc-1")
		expect(t, s.found(), event("Delete", object{"PhysicalResourceId": "svc-2", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-2")
		s.holds(t, "svc-1")
	})
}

// A named handler gains Find. Where Find does not know what the named version
// made, a change of the identity is refused loudly, its rollback goes well, and
// an ordinary Delete still removes the thing.
func TestStoryANamedHandlerGainsFind(t *testing.T) {
	a := stable("a")
	t.Run("Find knows the named ones", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
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
	})
	t.Run("it does not", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := &service{}
			expect(t, s.named(), created(nil), "SUCCESS", a)
			expect(t, s.found(), updated(a, "a", "b"), "FAILED", a)
			expect(t, s.found(), updated(a, "b", "a"), "SUCCESS", a)
			s.holds(t, a)
			expect(t, s.found(), deleted(a), "SUCCESS", a)
			s.holds(t)
		})
	})
}

// An older provider's ID has the shape of those that CloudFormation makes up.
func TestStoryDeleteOfAnOlderProvidersResource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, handler := range []func(*service) any{
			func(s *service) any { return s.named() },
			func(s *service) any { return s.found() },
		} {
			s := &service{}
			s.put(genID, "", 1)
			expect(t, handler(s), deleted(genID), "SUCCESS", genID)
			s.holds(t)
		}
	})
}

// A cleanup's three tries are the same bytes.
func TestStoryCleanupIsTriedAgain(t *testing.T) {
	tries := 0
	h := &fake{onDelete: func(context.Context, *del) error {
		if tries++; tries == 1 {
			return errSome
		}
		return nil
	}}
	d, ev := dispatcher(h), deleted("svc-1")()
	same := func() []byte { return ev }
	for i, want := range []string{"FAILED", "SUCCESS", "SUCCESS"} {
		if got := invoke(t, d, same); got.Status != want {
			t.Errorf("try %d: %s, want %s", i+1, got.Status, want)
		}
	}
	if tries != 2 {
		t.Errorf("%d Deletes, want 2: the third event is answered from memory", tries)
	}
}

// A Find that answers for both sides replaces nothing.
func TestStoryFindAnswersForBothSides(t *testing.T) {
	h := &finder{onFind: func(context.Context, *find) (string, error) { return "my-name", nil }}
	changed := false
	h.onUpdate = func(_ context.Context, req *update) (data, error) { changed = req.IdentityChanged; return nil, nil }
	expect(t, h, updated("my-name", "a", "b"), "SUCCESS", "my-name")
	if !changed {
		t.Error("IdentityChanged is not set")
	}
}

// A search goes on to show what is deleted: a lost Delete ends all the same.
func TestStoryASearchShowsWhatIsDeleted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		deletes := 0
		h := &finder{onFind: func(context.Context, *find) (string, error) { return "svc-1", nil }}
		h.onDelete = func(context.Context, *del) error {
			if deletes++; deletes > 1 {
				return cfnresource.Errorf(cfnresource.CodeNotFound, "gone")
			}
			return nil
		}
		expect(t, h, deleted(genID), "SUCCESS", genID)
		if deletes != 2 {
			t.Errorf("%d Deletes, want one in each look", deletes)
		}
	})
}

// What a failed replacement made is busy for 8 s. Where it is known that the
// update goes on, the undo waits for it; else CloudFormation is told the new ID,
// and deletes it.
func TestStoryUndoOfWhatIsBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		optFns []func(*cfnresource.Options)
		id     string
	}{
		"phase known":   {[]func(*cfnresource.Options){tells(lifecycle.PhaseUpdating).option}, "svc-1"},
		"phase unknown": {nil, "svc-2"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{}
				expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
				s.busy = 8 * time.Second
				h := s.found()
				makes := h.onCreate
				h.onCreate = func(ctx context.Context, req *create) (data, error) {
					_, _ = makes(ctx, req)
					return nil, errSome
				}
				expect(t, h, updated("svc-1", "a", "b"), "FAILED", tt.id, tt.optFns...)
				if tt.id == "svc-2" { // S41
					<-time.After(8 * time.Second)
					expect(t, s.found(), event("Delete", object{"PhysicalResourceId": "svc-2", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-2")
				}
				s.holds(t, "svc-1")
			})
		})
	}
}

// A function of three seconds answers in time from each of the waits.
func TestStoryAShortFunctionInEachWait(t *testing.T) {
	const short = 3 * time.Second
	busy := func() *fake {
		return &fake{
			onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-2"); return nil, errSome },
			onDelete: func(context.Context, *del) error {
				return cfnresource.Errorf(cfnresource.CodeResourceConflict, "busy")
			},
		}
	}
	throttled := creates(func(context.Context, *create) (data, error) {
		return nil, cfnresource.RetryAfter(cfnresource.Errorf(cfnresource.CodeThrottling, "slow down"), time.Minute)
	})
	for name, tt := range map[string]struct {
		handler    any
		event      payload
		status, id string
	}{
		"an Update that nothing explains":   {(&service{}).found(), updated("other-1", "a", "b"), "FAILED", "other-1"},
		"the Delete of a failed Create":     {(&service{}).found(), deleted(stable("a")), "SUCCESS", stable("a")},
		"a Delete that overtook its Create": {(&service{}).found(), deleted(genID), "SUCCESS", genID},
		"the same, named":                   {(&service{}).named(), deleted(genID), "SUCCESS", genID},
		"a Create that is throttled":        {throttled, created(nil), "FAILED", marker},
		"an undo that is refused":           {busy(), updated(stable("a"), "a", "b"), "FAILED", "svc-2"},
		"a Delete that is refused":          {busy(), deleted("svc-1"), "FAILED", "svc-1"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				got := within(t, short, tt.handler, tt.event)
				if got.Status != tt.status || got.PhysicalResourceId != tt.id {
					t.Errorf("%s %s (%s), want %s %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id)
				}
			})
		})
	}
}
