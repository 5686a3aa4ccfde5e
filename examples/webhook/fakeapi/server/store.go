package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// A Webhook is what the API keeps.
type Webhook struct {
	ID     string            `json:"id"`
	URL    string            `json:"url"`
	Events []string          `json:"events"`
	Active bool              `json:"active"`
	Secret string            `json:"secret"`
	Tags   map[string]string `json:"tags,omitempty"`
}

// A Store keeps webhooks in a file, or in memory. One process at a time may use the file.
type Store struct {
	path string // "" is memory

	mu    sync.Mutex
	state state
}

type state struct {
	Last     int        `json:"last"` // the number of the last ID given; none is given twice
	Webhooks []Webhook  `json:"webhooks"`
	Answers  []answered `json:"answers,omitempty"`
}

// An answered request to create is not done again, even if the webhook is deleted by then.
type answered struct {
	Key     string  `json:"key"` // its Idempotency-Key
	Webhook Webhook `json:"webhook"`
}

// Open returns the Store of a file, which need not exist yet; of "", one in memory.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &s.state); err != nil {
		return nil, fmt.Errorf("%s does not hold webhooks, choose another file: %w", path, err)
	}
	return s, nil
}

// All returns every webhook, the oldest first.
func (s *Store) All() []Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Webhook{}, s.state.Webhooks...) // none are [] in JSON
}

// change calls fn with a copy of the state, which becomes the state once it is
// on the disk. What fn returns, change returns.
func (s *Store) change(fn func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := state{s.state.Last, slices.Clone(s.state.Webhooks), slices.Clone(s.state.Answers)}
	if err := fn(&next); err != nil {
		return err
	}
	if s.path != "" {
		if err := write(s.path, next); err != nil {
			return err
		}
	}
	s.state = next
	return nil
}

// find returns the index of a webhook, or -1.
func (st *state) find(id string) int {
	return slices.IndexFunc(st.Webhooks, func(h Webhook) bool { return h.ID == id })
}

// write replaces a file as a whole: whoever reads it, whenever the process
// dies, finds the old state or the new one.
func write(path string, st state) error {
	raw, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
