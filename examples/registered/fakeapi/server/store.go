package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// A Monitor watches a URL.
type Monitor struct {
	ID      int               `json:"id"`
	State   string            `json:"state"` // provisioning, then active
	URL     string            `json:"url"`
	Seconds int               `json:"seconds"`          // from one look to the next
	Bearer  string            `json:"bearer,omitempty"` // is taken, and never shown
	Labels  map[string]string `json:"labels,omitempty"`
}

// A Store keeps monitors. One process at a time may use its file.
type Store struct {
	path  string
	ready time.Duration

	mu    sync.Mutex
	state state
}

type state struct {
	Last     int      `json:"last"` // the last number given; none is given twice
	Monitors []record `json:"monitors"`
	Answers  []record `json:"answers,omitempty"` // to requests with a key, whether or not the monitor still exists
}

type record struct {
	Monitor
	Key   string    `json:"key,omitempty"` // the Idempotency-Key that it was made with
	Ready time.Time `json:"ready"`
}

// Open returns the Store of a file, which need not exist yet. If path is empty,
// there is no file. A new monitor is provisioning for the time that ready says.
func Open(path string, ready time.Duration) (*Store, error) {
	s := &Store{path: path, ready: ready, state: state{Last: 1000}}
	if path == "" {
		return s, nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &s.state); err != nil {
		return nil, fmt.Errorf("%s does not hold monitors, choose another file: %w", path, err)
	}
	return s, nil
}

// Monitors returns all monitors as the API shows them, the oldest first.
func (s *Store) Monitors() []Monitor {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Monitor, 0, len(s.state.Monitors))
	for _, r := range s.state.Monitors {
		all = append(all, r.shown())
	}
	return all
}

// Sends reports whether a monitor sends a token to its URL.
func (s *Store) Sends(id int, bearer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.state.Monitors, func(r record) bool { return r.ID == id && r.Bearer == bearer })
}

// change calls fn with a copy of the state, which becomes the state once it is
// on the disk. What fn returns, change returns.
func (s *Store) change(fn func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := state{Last: s.state.Last, Monitors: slices.Clone(s.state.Monitors), Answers: slices.Clone(s.state.Answers)}
	if err := fn(&next); err != nil {
		return err
	}
	if err := write(s.path, next); err != nil {
		return err
	}
	s.state = next
	return nil
}

func (r record) shown() Monitor {
	m := r.Monitor
	m.Bearer, m.State = "", "provisioning"
	if !time.Now().Before(r.Ready) {
		m.State = "active"
	}
	return m
}

// index returns the index of the monitor that a request is about, or -1.
func (st *state) index(r *http.Request) int {
	id := intOf(r.PathValue("id"))
	return slices.IndexFunc(st.Monitors, func(r record) bool { return r.ID == id })
}

// write replaces a file as a whole: whoever reads it, whenever the process
// dies, finds the old state or the new one.
func write(path string, st state) error {
	if path == "" {
		return nil
	}
	raw, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
