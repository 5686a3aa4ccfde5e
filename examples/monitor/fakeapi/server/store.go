package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A Monitor watches a URL.
type Monitor struct {
	ID      int               `json:"id"`
	State   string            `json:"state"` // provisioning, then active
	URL     string            `json:"url"`
	Seconds int               `json:"seconds"` // from one look to the next
	Labels  map[string]string `json:"labels,omitempty"`
}

// A Rule says who is told when a monitor's URL does not answer.
type Rule struct {
	ID      int    `json:"id"`
	Monitor int    `json:"monitor"` // which has one rule at most
	Email   string `json:"email"`
}

// A Store keeps monitors and their rules. One process at a time may use its file.
type Store struct {
	path   string
	habits Habits

	mu    sync.Mutex
	state state
	past  []version // the oldest first
	calls []time.Time
}

// A state is never changed once it is the Store's: lists may still show it.
type state struct {
	Last     int      `json:"last"` // the last number given; none is given twice
	Monitors []record `json:"monitors"`
	Answers  []record `json:"answers,omitempty"` // to requests with a key, whether or not the monitor still exists
	Rules    []Rule   `json:"rules"`
}

type record struct {
	Monitor
	Key   string    `json:"key,omitempty"` // the Idempotency-Key that it was made with
	Ready time.Time `json:"ready"`
}

// A version is a state that was the Store's until then.
type version struct {
	state
	until time.Time
}

// Open returns the Store of a file, which need not exist yet. If path is empty, there is no file.
func Open(path string, habits Habits) (*Store, error) {
	s := &Store{path: path, habits: habits, state: state{Last: 1000}}
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

// Monitors returns all monitors, the oldest first.
func (s *Store) Monitors() []Monitor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.monitors()
}

// Rules returns all rules, the oldest first.
func (s *Store) Rules() []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Rules
}

// change calls fn with a copy of the state, which becomes the state once it is
// on the disk. What fn returns, change returns.
func (s *Store) change(fn func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := state{Last: s.state.Last, Monitors: slices.Clone(s.state.Monitors), Answers: slices.Clone(s.state.Answers), Rules: slices.Clone(s.state.Rules)}
	if err := fn(&next); err != nil {
		return err
	}
	if err := write(s.path, next); err != nil {
		return err
	}
	s.past = append(s.past, version{s.state, time.Now()})
	s.state = next
	return nil
}

// shown returns the state of a while ago, which lists show.
func (s *Store) shown() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	then := time.Now().Add(-s.habits.Lag)
	s.past = slices.DeleteFunc(s.past, func(v version) bool { return !v.until.After(then) })
	if len(s.past) > 0 {
		return s.past[0].state
	}
	return s.state
}

func (st *state) monitors() []Monitor {
	all := make([]Monitor, 0, len(st.Monitors))
	for _, r := range st.Monitors {
		r.State = "provisioning"
		if !time.Now().Before(r.Ready) {
			r.State = "active"
		}
		all = append(all, r.Monitor)
	}
	return all
}

// monitor returns the index of a monitor, or -1.
func (st *state) monitor(id int) int {
	return slices.IndexFunc(st.Monitors, func(r record) bool { return r.ID == id })
}

// rule returns the index of a rule, or -1.
func (st *state) rule(id int) int {
	return slices.IndexFunc(st.Rules, func(r Rule) bool { return r.ID == id })
}

// ruleOf returns the index of a monitor's rule, or -1.
func (st *state) ruleOf(monitor int) int {
	return slices.IndexFunc(st.Rules, func(r Rule) bool { return r.Monitor == monitor })
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

// Habits are what makes the API harder to use than a map.
type Habits struct {
	// Lag is how old what a list shows is: it does not show what was just made, and shows what was
	// just deleted. Reading one thing by its number does not lag.
	Lag time.Duration
	// Ready is how long after it was made a monitor is provisioning.
	Ready time.Duration
	// Rate is how many requests are answered in any second; others get 429 and
	// a Retry-After. Zero is any number.
	Rate int
}

// limited answers a request that is one too many.
func (s *Store) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait := s.take(); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			answer(w, 0, nil, problem{http.StatusTooManyRequests, "too many requests"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// take counts a request, or returns how long to wait for there to be room.
func (s *Store) take() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.calls = slices.DeleteFunc(s.calls, func(t time.Time) bool { return now.Sub(t) >= time.Second })
	if s.habits.Rate > 0 && len(s.calls) >= s.habits.Rate {
		return s.calls[0].Add(time.Second).Sub(now)
	}
	s.calls = append(s.calls, now)
	return 0
}
