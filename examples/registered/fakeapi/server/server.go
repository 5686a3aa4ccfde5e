// Package server is an API for monitors of URLs. It numbers what it makes, and
// takes a while to make it. It is there for trying a handler and for tests.
//
//	POST   /monitors              makes one; the same Idempotency-Key makes no second one
//	GET    /monitors?label=a=b    lists those with a label, the oldest first
//	GET    /monitors?after=1001   lists those that come after one; limit=50 of them at most
//	GET    /monitors/{id}         describes one, without its bearer token
//	PATCH  /monitors/{id}         sets the fields that are given, and adds to the labels
//	DELETE /monitors/{id}         removes one
//
// What it cannot do: it watches nothing, and remembers an Idempotency-Key only
// as long as the monitor that was made with it.
package server

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// New returns the API over a store. If token is not empty, requests must bear
// it.
func New(store *Store, token string) http.Handler {
	s := &server{store}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /monitors", s.create)
	mux.HandleFunc("GET /monitors", s.list)
	mux.HandleFunc("GET /monitors/{id}", s.get)
	mux.HandleFunc("PATCH /monitors/{id}", s.patch)
	mux.HandleFunc("DELETE /monitors/{id}", s.remove)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := "Bearer " + token
		if token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) != 1 {
			reply(w, http.StatusUnauthorized, problem{"the bearer token is missing or wrong"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

type server struct{ store *Store }

type problem struct {
	Error string `json:"error"`
}

var (
	errNotFound = errors.New("there is no such monitor")
	errInvalid  = errors.New("the request is not valid")
)

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	made := record{Key: r.Header.Get("Idempotency-Key"), Ready: time.Now().Add(s.store.ready)}
	err := s.store.change(func(st *state) error {
		if i := slices.IndexFunc(st.Monitors, func(r record) bool { return made.Key != "" && r.Key == made.Key }); i >= 0 {
			made = st.Monitors[i]
			return nil
		}
		if err := read(w, r, &made.Monitor); err != nil {
			return err
		}
		st.Last++
		made.ID = st.Last
		st.Monitors = append(st.Monitors, made)
		return made.check()
	})
	answer(w, http.StatusCreated, made.shown(), err)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	name, value, filtered := strings.Cut(r.FormValue("label"), "=")
	after, limit := intOf(r.FormValue("after")), intOf(r.FormValue("limit"))
	found := slices.DeleteFunc(s.store.Monitors(), func(m Monitor) bool {
		got, labelled := m.Labels[name]
		return m.ID <= after || filtered && (!labelled || got != value)
	})
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	reply(w, http.StatusOK, found)
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	all := s.store.Monitors()
	i := slices.IndexFunc(all, func(m Monitor) bool { return m.ID == intOf(r.PathValue("id")) })
	if i < 0 {
		answer(w, 0, nil, errNotFound)
		return
	}
	reply(w, http.StatusOK, all[i])
}

func (s *server) patch(w http.ResponseWriter, r *http.Request) {
	var changed record
	err := s.store.change(func(st *state) error {
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

func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	err := s.store.change(func(st *state) error {
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
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// read decodes a request's body onto v.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return nil
}

// answer replies with v, or with what is wrong.
func answer(w http.ResponseWriter, status int, v any, err error) {
	switch {
	case errors.Is(err, errNotFound):
		reply(w, http.StatusNotFound, problem{err.Error()})
	case errors.Is(err, errInvalid):
		reply(w, http.StatusUnprocessableEntity, problem{err.Error()})
	case err != nil:
		reply(w, http.StatusInternalServerError, problem{err.Error()})
	default:
		reply(w, status, v)
	}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}
