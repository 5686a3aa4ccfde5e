package cfnresource_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

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

// An earlier delivery made it and died, and Find fails in the next: the answer's
// Delete removes what is there.
func TestCreateWhoseFindFailsLeadsToWhatIsThere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{}
		s.add(stable("a"), 1)
		h := s.found()
		h.onFind = func(context.Context, *find) (string, error) { return "", errSome }
		expect(t, h, created(nil), "FAILED", stable("a"))
		expect(t, s.found(), deleted(stable("a")), "SUCCESS", stable("a"))
		s.holds(t)
	})
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
