package registry_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

type props struct {
	Name     string `cfn:"createOnly,required"`
	Size     int
	Rest     time.Duration
	Password string `cfn:"secret"`
}

type data struct {
	URL string `json:"Url"`
}

type thing struct {
	props
	mark  string
	ready time.Time
	gone  time.Time // zero while nobody deletes it
}

// A shelf keeps things under IDs of its own.
type shelf struct {
	mu     sync.Mutex
	things map[string]*thing
	made   int
	calls  []string
	takes  time.Duration // to make, change or delete a thing
	lag    time.Duration // until a thing can be read
	fails  error         // of everything but List
}

func newShelf() *shelf { return &shelf{things: map[string]*thing{}} }

func (s *shelf) called(what string) error {
	s.calls = append(s.calls, what)
	return s.fails
}

// at returns a thing that is there.
func (s *shelf) at(id string) *thing {
	t := s.things[id]
	if t != nil && !t.gone.IsZero() && !time.Now().Before(t.gone) {
		delete(s.things, id)
		return nil
	}
	return t
}

func (s *shelf) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	id, err := s.make(req)
	if err != nil {
		return data{}, err
	}
	req.Created(id)
	return data{}, s.wait(ctx, id)
}

func (s *shelf) make(req *cfnresource.CreateRequest[props]) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.called("Create"); err != nil {
		return "", err
	}
	for id := range s.things {
		if t := s.at(id); t != nil && t.Name == req.Properties.Name {
			return "", cfnresource.AlreadyExists(id)
		}
	}
	s.made++
	id := fmt.Sprintf("t-%d", s.made)
	s.things[id] = &thing{props: req.Properties, mark: req.StableID(), ready: time.Now().Add(s.takes)}
	return id, nil
}

func (s *shelf) wait(ctx context.Context, id string) error {
	return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		t := s.at(id)
		return t != nil && !time.Now().Before(t.ready), nil
	})
}

func (s *shelf) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	s.mu.Lock()
	err := s.called("Update " + req.PhysicalID)
	t := s.at(req.PhysicalID)
	if err == nil && t == nil {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "there is no %s", req.PhysicalID)
	}
	if err == nil && t.props != req.Properties {
		t.props, t.ready = req.Properties, time.Now().Add(s.takes)
	}
	s.mu.Unlock()
	if err != nil {
		return data{}, err
	}
	return data{}, s.wait(ctx, req.PhysicalID)
}

func (s *shelf) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	s.mu.Lock()
	err := s.called("Delete " + req.PhysicalID)
	if t := s.at(req.PhysicalID); err == nil && t != nil && t.gone.IsZero() {
		t.gone = time.Now().Add(s.takes)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.at(req.PhysicalID) == nil, nil
	})
}

func (s *shelf) Find(_ context.Context, req *cfnresource.FindRequest[props]) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.things)) {
		if t := s.at(id); t != nil && t.mark == req.StableID() {
			return id, nil
		}
	}
	return "", nil
}

func (s *shelf) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[props, data], err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.at(req.PhysicalID)
	if t == nil || time.Now().Before(t.ready.Add(s.lag)) && s.lag > 0 {
		return m, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no %s", req.PhysicalID)
	}
	return registry.Model[props, data]{Properties: t.props, Data: data{URL: "https://things.example/" + req.PhysicalID}}, s.fails
}

func (s *shelf) List(context.Context, *registry.ListRequest) (ids []string, next string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.things)) {
		if s.at(id) != nil {
			ids = append(ids, id)
		}
	}
	return ids, "", nil
}
