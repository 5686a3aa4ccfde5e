package cfnresource_test

import (
	"context"
	"testing"
	"time"
)

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

// A rollback comes before a search shows what the update made. Find reads the
// event's ID directly, so the first resource is found and the second deleted;
// also where a twin bears the second one's tag.
func TestRollbackBeforeTheSearchShows(t *testing.T) {
	for name, twin := range map[string]bool{"the search lags": false, "a twin hides it": true} {
		subtest(t, name, func(t *testing.T) {
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
	}
}

// An update comes before searches show what the Create made, and is rolled
// back. The first resource lives, and no second one is made for it.
func TestUpdateBeforeTheSearchShows(t *testing.T) {
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
