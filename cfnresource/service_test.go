package cfnresource_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// A service gives the things that it holds IDs of its own, svc-1, svc-2, …, and
// has habits: its searches lag, and a thing can be busy for a while after it was
// made. It knows nothing of client tokens or permissions.
type service struct {
	lag  time.Duration // until a search shows what was made
	busy time.Duration // until what was made can be deleted

	mu     sync.Mutex
	made   int
	things map[string]*thing
}

type thing struct {
	tag  string
	size int
	born time.Time
}

// add makes a thing, and returns its ID.
func (s *service) add(tag string, size int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return s.put(fmt.Sprintf("svc-%d", s.made), tag, size)
}

func (s *service) put(id, tag string, size int) string {
	if s.things == nil {
		s.things = make(map[string]*thing)
	}
	s.things[id] = &thing{tag, size, time.Now()}
	return id
}

// find reads at directly, and then searches for the oldest with a tag.
func (s *service) find(at, tag string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if th := s.things[at]; th != nil && th.tag == tag {
		return at
	}
	found := ""
	for _, id := range slices.Sorted(maps.Keys(s.things)) {
		th := s.things[id]
		if th.tag == tag && time.Since(th.born) >= s.lag && (found == "" || th.born.Before(s.things[found].born)) {
			found = id
		}
	}
	return found
}

func (s *service) update(id string, size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.things[id] == nil {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no %s", id)
	}
	s.things[id].size = size
	return nil
}

func (s *service) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch th := s.things[id]; {
	case th == nil:
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no %s", id)
	case time.Since(th.born) < s.busy:
		return cfnresource.Errorf(cfnresource.CodeResourceConflict, "%s is being created", id)
	}
	delete(s.things, id)
	return nil
}

func (s *service) holds(t *testing.T, ids ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(append([]string{}, ids...), append([]string{}, slices.Sorted(maps.Keys(s.things))...)); diff != "" {
		t.Errorf("the service holds other things than it should (-want +got):\n%s", diff)
	}
}

// found returns a handler of the kind found.
func (s *service) found() *finder {
	return &finder{
		fake: fake{
			onCreate: func(_ context.Context, req *create) (data, error) {
				req.Created(s.add(req.StableID(), req.Properties.Size))
				return nil, nil
			},
			onUpdate: func(_ context.Context, req *update) (data, error) {
				if req.IdentityChanged {
					return nil, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "another name is another thing")
				}
				return nil, s.update(req.PhysicalID, req.Properties.Size)
			},
			onDelete: func(_ context.Context, req *del) error { return s.remove(req.PhysicalID) },
		},
		onFind: func(_ context.Context, req *find) (string, error) {
			return s.find(req.PhysicalID, req.StableID()), nil
		},
	}
}

// named returns a handler whose IDs are StableIDs.
func (s *service) named() *fake {
	f := s.found()
	f.onCreate = func(_ context.Context, req *create) (data, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.things[req.StableID()] != nil {
			return nil, cfnresource.AlreadyExists(req.StableID())
		}
		req.Created(s.put(req.StableID(), "", req.Properties.Size))
		return nil, nil
	}
	return &fake{onCreate: f.onCreate, onUpdate: f.onUpdate, onDelete: f.onDelete}
}

// chosen returns a handler that names the thing as the template says, and tags it.
func (s *service) chosen() *finder {
	f := s.found()
	f.onCreate = func(_ context.Context, req *create) (data, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.things[req.Properties.Name] != nil {
			return nil, cfnresource.AlreadyExists(req.Properties.Name)
		}
		req.Created(s.put(req.Properties.Name, req.StableID(), req.Properties.Size))
		return nil, nil
	}
	f.onFind = func(_ context.Context, req *find) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if th := s.things[req.Properties.Name]; th != nil && th.tag == req.StableID() {
			return req.Properties.Name, nil
		}
		return "", nil
	}
	return f
}

// within passes an event to a process of its own, whose function has a timeout,
// and returns the answer. It fails the test if that took longer.
func within(t *testing.T, timeout time.Duration, handler any, p payload, optFns ...func(*cfnresource.Options)) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	var rec recorder
	start := time.Now()
	if _, err := dispatcher(handler, optFns...).Invoke(hook.WithSender(ctx, &rec), p()); err != nil || len(rec.bodies) != 1 {
		t.Fatalf("Invoke: %v, %d answers", err, len(rec.bodies))
	}
	if took := time.Since(start); took >= timeout {
		t.Errorf("the answer came after %s, which is the function's whole time", took)
	}
	return judge(t, rec.bodies[0])
}
