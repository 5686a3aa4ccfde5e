// Package server is an API for monitors of URLs and the rules that say who is
// told of a failure. It numbers what it makes, and has [Habits] that many
// services have. It is there for trying a handler and for tests.
//
//	POST   /monitors              makes one; the same Idempotency-Key is answered as it was then
//	GET    /monitors?label=a=b    lists all, or those with a label, the oldest first
//	GET    /monitors/{id}         describes one
//	PATCH  /monitors/{id}         sets the fields that are given, and adds to the labels
//	DELETE /monitors/{id}         removes one; one with a rule is in use (409)
//	POST   /rules                 makes one for a monitor that is active; a second one is a conflict (409)
//	GET    /rules?monitor=1001    lists all, or a monitor's
//	PATCH  /rules/{id}            sets the fields that are given
//	DELETE /rules/{id}            removes one
//
// What it cannot do: it watches nothing, and forgets no Idempotency-Key.
package server

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// New returns the API over a store. If token is not empty, requests must bear it.
func New(store *Store, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /monitors", store.createMonitor)
	mux.HandleFunc("GET /monitors", store.listMonitors)
	mux.HandleFunc("GET /monitors/{id}", store.getMonitor)
	mux.HandleFunc("PATCH /monitors/{id}", store.patchMonitor)
	mux.HandleFunc("DELETE /monitors/{id}", store.removeMonitor)
	mux.HandleFunc("POST /rules", store.createRule)
	mux.HandleFunc("GET /rules", store.listRules)
	mux.HandleFunc("PATCH /rules/{id}", store.patchRule)
	mux.HandleFunc("DELETE /rules/{id}", store.removeRule)
	return store.limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := "Bearer " + token
		if token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) != 1 {
			answer(w, 0, nil, problem{http.StatusUnauthorized, "the bearer token is missing or wrong"})
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// A problem is why a request is refused.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

var (
	errNotFound = problem{http.StatusNotFound, "there is no such thing"}
	errConflict = problem{http.StatusConflict, "the request does not agree with what there is"}
	errInvalid  = problem{http.StatusUnprocessableEntity, "the request is not valid"}
)

func (s *Store) createMonitor(w http.ResponseWriter, r *http.Request) {
	made := record{Key: r.Header.Get("Idempotency-Key"), Ready: time.Now().Add(s.habits.Ready)}
	err := s.change(func(st *state) error {
		if i := slices.IndexFunc(st.Answers, func(r record) bool { return r.Key == made.Key }); i >= 0 {
			made = st.Answers[i]
			return nil
		}
		if err := read(w, r, &made.Monitor); err != nil {
			return err
		}
		st.Last++
		made.ID = st.Last
		st.Monitors = append(st.Monitors, made)
		if made.Key != "" {
			st.Answers = append(st.Answers, made)
		}
		return made.check()
	})
	made.State = "provisioning"
	answer(w, http.StatusCreated, made.Monitor, err)
}

func (s *Store) listMonitors(w http.ResponseWriter, r *http.Request) {
	name, value, filtered := strings.Cut(r.FormValue("label"), "=")
	shown := s.shown()
	found := slices.DeleteFunc(shown.monitors(), func(m Monitor) bool {
		got, labelled := m.Labels[name]
		return filtered && (!labelled || got != value)
	})
	answer(w, http.StatusOK, found, nil)
}

func (s *Store) getMonitor(w http.ResponseWriter, r *http.Request) {
	all := s.Monitors()
	i := slices.IndexFunc(all, func(m Monitor) bool { return m.ID == number(r) })
	if i < 0 {
		answer(w, 0, nil, errNotFound)
		return
	}
	answer(w, http.StatusOK, all[i], nil)
}

func (s *Store) patchMonitor(w http.ResponseWriter, r *http.Request) {
	var changed Monitor
	err := s.change(func(st *state) error {
		i := st.monitor(number(r))
		if i < 0 {
			return errNotFound
		}
		changed = st.Monitors[i].Monitor
		changed.Labels = maps.Clone(changed.Labels) // decoding adds to a map
		if err := read(w, r, &changed); err != nil {
			return err
		}
		changed.ID = st.Monitors[i].ID
		st.Monitors[i].Monitor = changed
		return changed.check()
	})
	answer(w, http.StatusOK, changed, err)
}

func (s *Store) removeMonitor(w http.ResponseWriter, r *http.Request) {
	err := s.change(func(st *state) error {
		i := st.monitor(number(r))
		if i < 0 {
			return errNotFound
		}
		if st.ruleOf(number(r)) >= 0 {
			return fmt.Errorf("%w: the monitor has a rule", errConflict)
		}
		st.Monitors = slices.Delete(st.Monitors, i, i+1)
		return nil
	})
	answer(w, http.StatusOK, struct{}{}, err)
}

func (s *Store) createRule(w http.ResponseWriter, r *http.Request) {
	var made Rule
	err := s.change(func(st *state) error {
		if err := read(w, r, &made); err != nil {
			return err
		}
		i := st.monitor(made.Monitor)
		switch {
		case i < 0:
			return fmt.Errorf("%w: the rule is for no monitor", errInvalid)
		case time.Now().Before(st.Monitors[i].Ready):
			return fmt.Errorf("%w: the monitor is not active", errConflict)
		case st.ruleOf(made.Monitor) >= 0:
			return fmt.Errorf("%w: the monitor has a rule", errConflict)
		}
		st.Last++
		made.ID = st.Last
		st.Rules = append(st.Rules, made)
		return made.check()
	})
	answer(w, http.StatusCreated, made, err)
}

func (s *Store) listRules(w http.ResponseWriter, r *http.Request) {
	monitor := r.FormValue("monitor")
	found := slices.DeleteFunc(append([]Rule{}, s.shown().Rules...), func(rule Rule) bool {
		return monitor != "" && monitor != strconv.Itoa(rule.Monitor)
	})
	answer(w, http.StatusOK, found, nil)
}

func (s *Store) patchRule(w http.ResponseWriter, r *http.Request) {
	var changed Rule
	err := s.change(func(st *state) error {
		i := st.rule(number(r))
		if i < 0 {
			return errNotFound
		}
		changed = st.Rules[i]
		if err := read(w, r, &changed); err != nil {
			return err
		}
		changed.ID, changed.Monitor = st.Rules[i].ID, st.Rules[i].Monitor
		st.Rules[i] = changed
		return changed.check()
	})
	answer(w, http.StatusOK, changed, err)
}

func (s *Store) removeRule(w http.ResponseWriter, r *http.Request) {
	err := s.change(func(st *state) error {
		i := st.rule(number(r))
		if i < 0 {
			return errNotFound
		}
		st.Rules = slices.Delete(st.Rules, i, i+1)
		return nil
	})
	answer(w, http.StatusOK, struct{}{}, err)
}

func (m Monitor) check() error {
	if !strings.HasPrefix(m.URL, "https://") || m.Seconds <= 0 {
		return fmt.Errorf("%w: want a url that begins with https://, and seconds", errInvalid)
	}
	return nil
}

func (r Rule) check() error {
	if !strings.Contains(r.Email, "@") {
		return fmt.Errorf("%w: want an email", errInvalid)
	}
	return nil
}

// number returns the ID that a request is about, or 0, which nothing has.
func number(r *http.Request) int {
	id, _ := strconv.Atoi(r.PathValue("id"))
	return id
}

// read decodes a request's body onto v.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return nil
}

// answer replies with v, or with what is wrong.
func answer(w http.ResponseWriter, status int, v any, err error) {
	if err != nil {
		status, v = http.StatusInternalServerError, map[string]string{"error": err.Error()}
		if p, ok := errors.AsType[problem](err); ok {
			status = p.status
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}
