package cfnresource_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Histories that lost, leaked or stuck a resource under rules that looked
// right, each played as CloudFormation would send it: those that lost data here,
// those that leaked or stuck a stack in adversary_major_test.go, the rest in
// adversary_minor_test.go.

// A shelf is a service whose things have a name and a tag. It keeps them in
// memory, and answers at once and always truly.
type shelf struct {
	mu     sync.Mutex
	things map[string]string // name to tag
	n      int
}

func newShelf(names ...string) *shelf {
	s := &shelf{things: map[string]string{}}
	for _, name := range names {
		s.things[name] = "a stranger's"
	}
	return s
}

func (s *shelf) put(name, tag string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.things[name]; taken {
		return cfnresource.AlreadyExists(name)
	}
	s.things[name] = tag
	return nil
}

func (s *shelf) assign(tag string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	name := fmt.Sprintf("svc-%d", s.n)
	s.things[name] = tag
	return name
}

func (s *shelf) check(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.things[name]; !ok {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no %s", name)
	}
	return nil
}

func (s *shelf) remove(name string) error {
	if err := s.check(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.things, name)
	return nil
}

func (s *shelf) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.things))
}

func (s *shelf) tagged(tag string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.things)) {
		if s.things[name] == tag {
			return name
		}
	}
	return ""
}

// handler returns one whose Update and Delete go by the physical ID, behind a
// prefix.
func (s *shelf) handler(prefix string, onCreate func(ctx context.Context, req *create) (data, error)) fake {
	return fake{
		onCreate: onCreate,
		onUpdate: func(_ context.Context, req *update) (res data, err error) {
			return res, s.check(strings.TrimPrefix(req.PhysicalID, prefix))
		},
		onDelete: func(_ context.Context, req *del) error { return s.remove(strings.TrimPrefix(req.PhysicalID, prefix)) },
	}
}

// named handlers name the thing with the StableID.
func (s *shelf) named() *fake {
	h := s.handler("", func(_ context.Context, req *create) (res data, err error) {
		return res, s.put(req.StableID(), "")
	})
	return &h
}

// assigned handlers find what the service named by its tag.
func (s *shelf) assigned() *finder {
	return &finder{
		fake: s.handler("", func(_ context.Context, req *create) (data, error) {
			id := s.assign(req.StableID())
			req.Created(id)
			req.Created(id)
			return nil, nil
		}),
		onFind: func(_ context.Context, req *cfnresource.FindRequest[props]) (string, error) {
			return s.tagged(req.StableID()), nil
		},
	}
}

// chosen handlers name the thing as the template says, and tag it.
func (s *shelf) chosen() *finder {
	return &finder{
		fake: s.handler("", func(_ context.Context, req *create) (data, error) {
			req.Created(req.Properties.Name)
			return nil, s.put(req.Properties.Name, req.StableID())
		}),
		onFind: func(_ context.Context, req *cfnresource.FindRequest[props]) (string, error) {
			if s.tagged(req.StableID()) == req.Properties.Name {
				return req.Properties.Name, nil
			}
			return "", nil
		},
	}
}

// expect sends an event to a new process, and checks what it answers.
func expect(t *testing.T, handler any, p payload, status, id string, optFns ...func(*cfnresource.Options)) answer {
	t.Helper()
	a := invoke(t, dispatcher(handler, optFns...), p)
	if a.Status != status || a.PhysicalResourceId != id {
		t.Errorf("answered %s %s (%s), want %s %s", a.Status, a.PhysicalResourceId, a.Reason, status, id)
	}
	return a
}

func (s *shelf) holds(t *testing.T, names ...string) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(slices.Values(names)), s.names(), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
		t.Errorf("the service holds other things than it should (-want +got):\n%s", diff)
	}
}

// malformed is updated with a property that cannot be read.
func malformed(id, from, to string) payload {
	return event("Update", object{
		"PhysicalResourceId":    id,
		"ResourceProperties":    object{"Name": to, "Size": "big"},
		"OldResourceProperties": object{"Name": from, "Size": "1"},
	})
}

// back is the Update with which CloudFormation takes malformed back.
func back(id, from, to string) payload {
	return event("Update", object{
		"PhysicalResourceId":    id,
		"ResourceProperties":    object{"Name": to, "Size": "1"},
		"OldResourceProperties": object{"Name": from, "Size": "big"},
	})
}

// A replacement fails over a typo. Its rollback is an Update like another; it
// must lead back to the resource, whatever its ID looks like.
func TestAdversaryRollbackOfFailedReplacementUpdatesInPlace(t *testing.T) {
	tests := []struct {
		name    string
		handler func(*shelf) any
		id      string
		legacy  bool
	}{
		{"the service's own ID", func(s *shelf) any { return s.assigned() }, "svc-1", false},
		{"a name that the template chose", func(s *shelf) any { return s.chosen() }, "a", false},
		{"the StableID", func(s *shelf) any { return s.named() }, stable("a"), false},
		{"another library's ID, which nothing explains", func(s *shelf) any { return s.named() }, "legacy-1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf()
			h := tt.handler(s)
			if tt.legacy {
				s = newShelf(tt.id)
				h = tt.handler(s)
			} else {
				expect(t, h, created(nil), "SUCCESS", tt.id)
			}
			expect(t, h, malformed(tt.id, "a", "b"), "FAILED", tt.id)
			expect(t, h, back(tt.id, "b", "a"), "SUCCESS", tt.id)
			s.holds(t, tt.id)
		})
	}
}

// The same when the new name turns out to be a stranger's.
func TestAdversaryRollbackFromATakenNameUpdatesInPlace(t *testing.T) {
	s := newShelf("b")
	h := s.chosen()
	expect(t, h, created(nil), "SUCCESS", "a")
	expect(t, h, updated("a", "a", "b"), "FAILED", "a")
	expect(t, h, updated("a", "b", "a"), "SUCCESS", "a")
	s.holds(t, "a", "b")
}

// A tag that stayed the same for the resource's whole life would find the
// resource that is being replaced.
func TestAdversaryFindIsAskedForTheNewResource(t *testing.T) {
	s := newShelf()
	h := s.assigned()
	expect(t, h, created(nil), "SUCCESS", "svc-1")
	expect(t, h, updated("svc-1", "a", "b"), "SUCCESS", "svc-2")
	expect(t, h, deleted("svc-1"), "SUCCESS", "svc-1")
	s.holds(t, "svc-2")
}

// The thing is named with the StableID and the ID is its URL: what is adopted
// keeps the URL as its ID.
func TestAdversaryAdoptionKeepsTheFormOfTheID(t *testing.T) {
	const prefix = "https://queue/"
	s := newShelf()
	h := &finder{
		fake: s.handler(prefix, func(_ context.Context, req *create) (data, error) {
			req.Created(prefix + req.StableID())
			return nil, s.put(req.StableID(), "")
		}),
		onFind: func(_ context.Context, req *cfnresource.FindRequest[props]) (string, error) {
			if s.check(req.StableID()) != nil {
				return "", nil
			}
			return prefix + req.StableID(), nil
		},
	}
	url := prefix + stable("a")
	expect(t, h, created(nil), "SUCCESS", url)
	expect(t, h, created(nil), "SUCCESS", url) // delivered again
	expect(t, h, malformed(url, "a", "b"), "FAILED", url)
	expect(t, h, back(url, "b", "a"), "SUCCESS", url)
	s.holds(t, stable("a"))
}

// Create asks for its StableID, then takes the name that the template chose,
// which is a stranger's. That it asked proves nothing.
func TestAdversaryAskingForTheStableIDIsNoProof(t *testing.T) {
	s := newShelf("prod-data")
	nameOr := func(p props, stable string) string {
		if p.Name != "" {
			return p.Name
		}
		return stable
	}
	h := &fake{
		onCreate: func(_ context.Context, req *create) (res data, err error) {
			return res, s.put(nameOr(req.Properties, req.StableID()), "")
		},
		onUpdate: func(context.Context, *update) (res data, err error) {
			t.Error("Update: somebody else's resource was reconfigured")
			return res, nil
		},
		onDelete: func(_ context.Context, req *del) error { return s.remove(nameOr(req.Properties, req.PhysicalID)) },
	}
	expect(t, h, created(object{"ResourceProperties": object{"Name": "prod-data"}}), "FAILED", marker)
	expect(t, h, deleted(marker), "SUCCESS", marker)
	s.holds(t, "prod-data")
}

// A name is tracked before the service was asked, and is a stranger's.
func TestAdversaryWhatIsAStrangersIsNeverDeleted(t *testing.T) {
	s := newShelf("a", "b")
	h := s.handler("", func(_ context.Context, req *create) (data, error) {
		req.Created(req.Properties.Name)
		req.Created(req.Properties.Name)
		return nil, s.put(req.Properties.Name, "")
	})
	expect(t, &h, created(nil), "FAILED", marker)
	expect(t, &h, deleted(marker), "SUCCESS", marker)
	s.holds(t, "a", "b")

	// The same in a replacement.
	f := &finder{fake: s.handler("", h.onCreate), onFind: finds(map[string]string{"c": "mine"})}
	expect(t, f, updated("mine", "c", "b"), "FAILED", "mine")
	s.holds(t, "a", "b")
}
