package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// A Certificate is what an ACM keeps.
type Certificate struct {
	ARN       string
	Names     []string // the domain name, and its alternatives
	Tags      map[string]string
	Requested time.Time
	Token     string `json:",omitempty"`

	InUse  bool   `json:",omitempty"` // so that it cannot be deleted
	Failed string `json:",omitempty"` // why it is not issued
	Status string `json:",omitempty"` // another one than its age says, such as EXPIRED
}

// All returns every certificate, the oldest first.
func (a *ACM) All() []Certificate {
	a.store.mu.Lock()
	defer a.store.mu.Unlock()
	var all []Certificate
	for _, c := range a.store.state.clone().Certificates {
		all = append(all, *c)
	}
	return all
}

// Change changes one certificate as something else would than the handler, such
// as a load balancer that uses it. It does nothing if there is none.
func (a *ACM) Change(arn string, change func(*Certificate)) error {
	return a.store.change(func(s *state) error {
		if c := s.find(arn); c != nil {
			change(c)
		}
		return nil
	})
}

type state struct {
	Last         int // the number of the last ARN; none is given twice
	Certificates []*Certificate
}

func (s *state) find(arn string) *Certificate {
	i := slices.IndexFunc(s.Certificates, func(c *Certificate) bool { return c.ARN == arn })
	if i < 0 {
		return nil
	}
	return s.Certificates[i]
}

func (s *state) remove(arn string) {
	s.Certificates = slices.DeleteFunc(s.Certificates, func(c *Certificate) bool { return c.ARN == arn })
}

func (s *state) clone() *state {
	next := &state{Last: s.Last}
	for _, c := range s.Certificates {
		copied := *c
		copied.Tags = maps.Clone(c.Tags)
		next.Certificates = append(next.Certificates, &copied)
	}
	return next
}

// A store keeps certificates in a file, or only in memory. One process at a time may use the file.
type store struct {
	path string

	mu    sync.Mutex
	state state
}

func (s *store) read() error {
	if s.path == "" {
		return nil
	}
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &s.state)
	}
	if err != nil {
		return fmt.Errorf("%s does not hold certificates, choose another file: %w", s.path, err)
	}
	return nil
}

// change calls fn with a copy of the state, which becomes the state once it is
// on the disk. What fn returns, change returns.
func (s *store) change(fn func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.state.clone()
	if err := fn(next); err != nil {
		return err
	}
	if s.path != "" {
		raw, err := json.MarshalIndent(next, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.path+".new", raw, 0o600); err != nil {
			return err
		}
		if err := os.Rename(s.path+".new", s.path); err != nil {
			return err
		}
	}
	s.state = *next
	return nil
}
