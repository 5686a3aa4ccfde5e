package cfnresource_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A Delete with an ID that CloudFormation made up, or with the StableID where
// the ID is the service's, goes to what is there. One that CloudFormation made
// up may have overtaken its Create, so it comes back when that must have ended.
func TestLostDelete(t *testing.T) {
	a := stable("a")
	notFound := cfnresource.Errorf(cfnresource.CodeNotFound, "gone")
	invalid := cfnresource.Errorf(cfnresource.CodeInvalidRequest, "malformed")
	deletes := func(err error) *fake { return &fake{onDelete: func(context.Context, *del) error { return err }} }
	// knows is a handler whose service holds some things of the resource.
	knows := func(ids ...string) *finder {
		f := &finder{onFind: func(context.Context, *find) (string, error) {
			if len(ids) == 0 {
				return "", nil
			}
			return ids[0], nil
		}}
		f.onDelete = func(_ context.Context, req *del) error {
			if len(ids) == 0 || req.PhysicalID != ids[0] {
				return notFound
			}
			ids = ids[1:]
			return nil
		}
		return f
	}
	tests := []struct {
		name, reason string
		handler      any
		id           string
		status       string
		calls        []string
		takes        time.Duration // of the function's 30 s
	}{
		{"named, something there or not", "nil does not tell: an older provider may have made such an ID", deletes(nil), genID, "SUCCESS",
			[]string{"Delete " + a, "Delete " + genID, "Delete " + a}, 27 * time.Second},
		{"named, nothing there", "an older provider may have made such an ID", deletes(notFound), genID, "SUCCESS",
			[]string{"Delete " + a, "Delete " + genID, "Delete " + a}, 27 * time.Second},
		{"named, and the service refuses such an ID", "then it is none of its own", deletes(invalid), genID, "SUCCESS",
			[]string{"Delete " + a, "Delete " + genID, "Delete " + a}, 27 * time.Second},
		{"named, failed", "it is still there", deletes(errSome), genID, "FAILED", []string{"Delete " + a}, 0},
		{"found, something there", "until Find finds nothing", knows("svc-1"), genID, "SUCCESS",
			[]string{"Find a", "Delete svc-1", "Find a", "Find a"}, 27 * time.Second},
		{"found, two there", "two deliveries made two", knows("svc-1", "svc-2"), genID, "SUCCESS",
			[]string{"Find a", "Delete svc-1", "Find a", "Delete svc-2", "Find a", "Find a"}, 27 * time.Second},
		{"found, nothing there", "an older provider may have made such an ID", knows(), genID, "SUCCESS",
			[]string{"Find a", "Delete " + genID, "Find a"}, 27 * time.Second},
		{"found, and it has such an ID", "then it is the resource's own", knows(genID), genID, "SUCCESS", []string{"Find a", "Delete " + genID}, 0},
		{"found, StableID", "the answer to a Create that failed", knows("svc-1"), a, "SUCCESS", []string{"Find a", "Delete svc-1", "Find a"}, 0},
		{"found, StableID, nothing there", "a version without Find may have made it", knows(), a, "SUCCESS", []string{"Find a", "Delete " + a, "Find a"}, 6 * time.Second},
		{"named, StableID", "its own ID", deletes(nil), a, "SUCCESS", []string{"Delete " + a}, 0},
		{"any other ID", "an ordinary Delete", deletes(nil), "svc-1", "SUCCESS", []string{"Delete svc-1"}, 0},
	}
	for _, tt := range tests {
		subtest(t, tt.name, func(t *testing.T) {
			start := time.Now()
			got := invoke(t, dispatcher(tt.handler), deleted(tt.id))
			if got.Status != tt.status || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s (%s), want %s %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id, tt.reason)
			}
			if diff := cmp.Diff(tt.calls, calls(tt.handler)); diff != "" {
				t.Errorf("calls (-want +got), since %s:\n%s", tt.reason, diff)
			}
			if took := time.Since(start); took != tt.takes {
				t.Errorf("took %s, want %s: the function's timeout, less the margin, or FindLag", took, tt.takes)
			}
		})
	}
}

// The wait is LostGrace after the Delete arrived, where that is set. A queue that kept the Delete
// may have kept its Create as long, which begins only now.
func TestLostGrace(t *testing.T) {
	for _, tt := range []struct {
		name         string
		grace, age   time.Duration
		takes        time.Duration
		wantedPasses int
	}{
		{"set", 10 * time.Second, 0, 10 * time.Second, 3},
		{"counts from when the event arrives", 10 * time.Second, 4 * time.Second, 10 * time.Second, 3},
		{"however late that is", 10 * time.Second, 50 * time.Minute, 10 * time.Second, 3},
		{"the function's timeout, of a late event", 0, 50 * time.Minute, 27 * time.Second, 3},
		{"longer than the function may run", time.Hour, 0, 27 * time.Second, 3},
		{"the longest there is", math.MaxInt64, 0, 27 * time.Second, 3},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			h := &fake{}
			d := dispatcher(h, func(o *cfnresource.Options) { o.LostGrace = tt.grace })
			start := time.Now()
			got := invoke(t, d, event("Delete", object{"PhysicalResourceId": genID, "age": tt.age}))
			if got.Status != "SUCCESS" || time.Since(start) != tt.takes || len(h.calls) != tt.wantedPasses {
				t.Errorf("%s after %s with %q, want SUCCESS after %s with %d calls", got.Status, time.Since(start), h.calls, tt.takes, tt.wantedPasses)
			}
		})
	}
}

// A simulated Lambda that has kept the Delete until no Create ran says so: of what is long over,
// nothing is waited for.
func TestADeleteThatASimulatedLambdaKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, start := &fake{}, time.Now()
		got := invoke(t, keptDelete{dispatcher(h)}, event("Delete", object{"PhysicalResourceId": genID, "age": time.Minute}))
		if got.Status != "SUCCESS" || time.Since(start) != 0 || len(h.calls) != 2 {
			t.Errorf("%s after %s with %q, want SUCCESS at once with 2 calls", got.Status, time.Since(start), h.calls)
		}
	})
}

// keptDelete invokes a function with the client context that says that no Create runs.
type keptDelete struct{ invoker }

func (k keptDelete) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	lc := &lambdacontext.LambdaContext{ClientContext: lambdacontext.ClientContext{Custom: map[string]string{"cfnresource": "no-create-runs"}}}
	return k.invoker.Invoke(lambdacontext.NewContext(ctx, lc), payload)
}

// The service never had an ID like CloudFormation's and calls it malformed.
func TestMalformedIDIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refuse := func(_ context.Context, req *del) error {
			return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "%s is not of the form vol-…", req.PhysicalID)
		}
		expect(t, &finder{fake: fake{onDelete: refuse}}, deleted(genID), "SUCCESS", genID)
		expect(t, &finder{fake: fake{onDelete: refuse}}, deleted(stable("a")), "SUCCESS", stable("a"))
		expect(t, &fake{onDelete: refuse}, deleted(genID), "SUCCESS", genID)
		expect(t, &fake{onDelete: refuse}, deleted("vol-1x"), "FAILED", "vol-1x")
		// What Find found is there.
		found := finder{fake: fake{onDelete: refuse}, onFind: func(context.Context, *find) (string, error) { return "vol-1x", nil }}
		expect(t, &found, deleted(genID), "FAILED", genID)
	})
}

// The second pass of a lost Delete is another request to the service: the same
// client token would get the first one's reply.
func TestEachRemovalHasATokenOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		seen := make(map[string]bool)
		h := &fake{onDelete: func(_ context.Context, req *del) error {
			if seen[req.IdempotencyToken()] {
				t.Errorf("Delete of %s has the token of another", req.PhysicalID)
			}
			seen[req.IdempotencyToken()] = true
			return nil
		}}
		invoke(t, dispatcher(h), deleted(genID))
	})
}

// A search goes on to show what is deleted: a lost Delete ends all the same.
func TestSearchThatShowsWhatIsDeleted(t *testing.T) {
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

// In one reading of what CloudFormation does with a preserved failure, it creates again
// before it deletes what the first Create left. By then the stack uses what the cleanup's
// Delete would delete, whatever ID that has.
func TestDeleteOfWhatTheStackUses(t *testing.T) {
	a := stable("a")
	for _, tt := range []struct {
		name   string
		finds  bool
		id     string // of the event
		uses   string // by the stack
		status string
		calls  []string
	}{
		{"it was made by a Create that was lost", false, genID, a, "FAILED", nil},
		{"by one that failed", false, a, a, "FAILED", nil},
		{"by one that was lost, and is found", true, genID, "svc-1", "FAILED", []string{"Find a"}},
		{"by one that failed, and is found", true, a, "svc-1", "FAILED", []string{"Find a"}},
		{"it uses another one", false, "svc-1", a, "SUCCESS", []string{"Delete svc-1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var handler any = &fake{}
				if tt.finds {
					handler = &finder{onFind: func(context.Context, *find) (string, error) { return "svc-1", nil }}
				}
				expect(t, handler, deleted(tt.id), tt.status, tt.id, func(o *cfnresource.Options) {
					o.Phase = func(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
						if op.CreatedID == tt.uses {
							return lifecycle.PhaseNotAwaited, nil
						}
						return lifecycle.PhaseReplacementCleanup, nil
					}
				})
				if diff := cmp.Diff(tt.calls, calls(handler), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A Delete overtakes its Create: what it finds, or does not, proves nothing
// until a Create must have ended.
func TestDeleteWaitsForTheCreateItOvertook(t *testing.T) {
	for name, forgives := range map[string]bool{"NotFound for what is not there": false, "nil for what is not there": true} {
		subtest(t, name, func(t *testing.T) {
			s := &service{}
			h := s.found()
			if forgives {
				h.onDelete = func(_ context.Context, req *del) error {
					_ = s.remove(req.PhysicalID) // gone is gone
					return nil
				}
			}
			first := h.onCreate
			h.onCreate = func(ctx context.Context, req *create) (data, error) {
				<-time.After(20 * time.Second)
				return first(ctx, req)
			}
			done := make(chan answer)
			go func() { done <- invoke(t, dispatcher(h), created(nil)) }()
			<-time.After(5 * time.Second)
			expect(t, h, deleted(genID), "SUCCESS", genID)
			if a := <-done; a.Status != "SUCCESS" {
				t.Errorf("the Create, which nobody waits for: %s %s", a.Status, a.Reason)
			}
			s.holds(t)
		})
	}
}

// A Create is cancelled at once, and makes its thing shortly before its
// function's time is over. The Delete that overtook it takes the last moment.
func TestCancelledCreateThatMakesItsThingLate(t *testing.T) {
	for name, handler := range map[string]func(*service) any{
		"named": func(s *service) any { return s.named() },
		"found": func(s *service) any { return s.found() },
	} {
		subtest(t, name, func(t *testing.T) {
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
	}
}

// A Create fails after its effect without a word. Its Delete comes while the search lags.
func TestDeleteOfAFailedCreateWaitsForTheSearch(t *testing.T) {
	for _, after := range []time.Duration{0, 2 * time.Second, 4 * time.Second, 10 * time.Second} {
		subtest(t, after.String(), func(t *testing.T) {
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
	}
}

// Nothing is found, and the Delete of the event's own ID takes longer than a
// Create may still run, or than a search lags. What was not found before may be
// there now, so the second look follows at once.
func TestFirstLookOutlastsWhatItWaitsFor(t *testing.T) {
	for name, id := range map[string]string{"a Create that still ran": genID, "a search that lagged": stable("a")} {
		subtest(t, name, func(t *testing.T) {
			shown := time.Now().Add(4 * time.Second)
			h, there := &finder{}, true
			h.onFind = func(context.Context, *find) (string, error) {
				if there && time.Now().After(shown) {
					return "svc-1", nil
				}
				return "", nil
			}
			h.onDelete = func(_ context.Context, req *del) error {
				<-time.After(8 * time.Second)
				there = there && req.PhysicalID != "svc-1"
				return nil
			}
			d := dispatcher(h, func(o *cfnresource.Options) { o.LostGrace = time.Second })
			if got := invoke(t, d, deleted(id)); got.Status != "SUCCESS" || there {
				t.Errorf("%s (%s) after %q; something is left: %t", got.Status, got.Reason, calls(h), there)
			}
		})
	}
}

// Two deliveries of a Create meet; the Find of the one that lost then fails. Its
// answer's Delete removes what the other one made.
func TestDeliveriesThatMeetAndAFindThatFails(t *testing.T) {
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
