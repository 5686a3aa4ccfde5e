// Package server is an API for monitors of URLs. It numbers what it makes, and
// takes a while to make it. It is there for trying a handler and for tests.
//
//	POST   /monitors              makes one; the same Idempotency-Key is answered as it was then
//	GET    /monitors?label=a=b    lists those with a label, the oldest first
//	GET    /monitors?after=1001   lists those that come after one; limit=50 of them at most, or a hundred
//	GET    /monitors/{id}         describes one, without its bearer token
//	PATCH  /monitors/{id}         sets the fields that are given, and adds to the labels
//	DELETE /monitors/{id}         removes one
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
	mux.HandleFunc("POST /monitors", store.create)
	mux.HandleFunc("GET /monitors", store.list)
	mux.HandleFunc("GET /monitors/{id}", store.get)
	mux.HandleFunc("PATCH /monitors/{id}", store.patch)
	mux.HandleFunc("DELETE /monitors/{id}", store.remove)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := "Bearer " + token
		if token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) != 1 {
			answer(w, 0, nil, problem{http.StatusUnauthorized, "the bearer token is missing or wrong"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// A problem is why a request is refused.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

var (
	errNotFound = problem{http.StatusNotFound, "there is no such monitor"}
	errInvalid  = problem{http.StatusUnprocessableEntity, "the request is not valid"}
)

func (s *Store) create(w http.ResponseWriter, r *http.Request) {
	made := record{Key: r.Header.Get("Idempotency-Key"), Ready: time.Now().Add(s.ready)}
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
	answer(w, http.StatusCreated, made.shown(), err)
}

// mostListed is how many monitors a page has at most.
const mostListed = 100

func (s *Store) list(w http.ResponseWriter, r *http.Request) {
	name, value, filtered := strings.Cut(r.FormValue("label"), "=")
	after, limit := intOf(r.FormValue("after")), intOf(r.FormValue("limit"))
	found := slices.DeleteFunc(s.Monitors(), func(m Monitor) bool {
		got, labelled := m.Labels[name]
		return m.ID <= after || filtered && (!labelled || got != value)
	})
	if limit <= 0 || limit > mostListed {
		limit = mostListed
	}
	answer(w, http.StatusOK, found[:min(limit, len(found))], nil)
}

func (s *Store) get(w http.ResponseWriter, r *http.Request) {
	all := s.Monitors()
	i := slices.IndexFunc(all, func(m Monitor) bool { return m.ID == intOf(r.PathValue("id")) })
	if i < 0 {
		answer(w, 0, nil, errNotFound)
		return
	}
	answer(w, http.StatusOK, all[i], nil)
}

func (s *Store) patch(w http.ResponseWriter, r *http.Request) {
	var changed record
	err := s.change(func(st *state) error {
		i := st.index(r)
		if i < 0 {
			return errNotFound
		}
		changed = st.Monitors[i]
		changed.Labels = maps.Clone(changed.Labels) // decoding adds to a map
		if err := read(w, r, &changed.Monitor); err != nil {
			return err
		}
		changed.ID = st.Monitors[i].ID
		st.Monitors[i] = changed
		return changed.check()
	})
	answer(w, http.StatusOK, changed.shown(), err)
}

func (s *Store) remove(w http.ResponseWriter, r *http.Request) {
	err := s.change(func(st *state) error {
		i := st.index(r)
		if i < 0 {
			return errNotFound
		}
		st.Monitors = slices.Delete(st.Monitors, i, i+1)
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

// intOf returns a number, or 0, which no monitor has.
func intOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
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
