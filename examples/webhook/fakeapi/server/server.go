// Package server is an API for webhooks, of the kind that many services have: it gives each webhook
// an ID of its own, and keeps tags. It is there for trying a handler and for tests.
//
//	POST   /webhooks              makes one; the same Idempotency-Key makes no second one
//	GET    /webhooks?tag=a=b      lists all, or those with a tag, the oldest first
//	GET    /webhooks/{id}         describes one
//	PATCH  /webhooks/{id}         sets the fields that are given, and adds to the tags
//	DELETE /webhooks/{id}         removes one
//
// A request to create with the Idempotency-Key of an earlier one is answered as that one
// was. What the API cannot do: it delivers no events, limits no rates, and forgets no key.
package server

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// New returns the API over a store. If token is not empty, requests must bear it.
func New(store *Store, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhooks", store.create)
	mux.HandleFunc("GET /webhooks", store.list)
	mux.HandleFunc("GET /webhooks/{id}", store.get)
	mux.HandleFunc("PATCH /webhooks/{id}", store.patch)
	mux.HandleFunc("DELETE /webhooks/{id}", store.remove)
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
	errNotFound = problem{http.StatusNotFound, "there is no such webhook"}
	errInvalid  = problem{http.StatusUnprocessableEntity, "the webhook is not valid"}
)

func (s *Store) create(w http.ResponseWriter, r *http.Request) {
	made, key := Webhook{Active: true}, r.Header.Get("Idempotency-Key")
	err := s.change(func(st *state) error {
		if i := slices.IndexFunc(st.Answers, func(a answered) bool { return a.Key == key }); i >= 0 {
			made = st.Answers[i].Webhook
			return nil
		}
		if err := read(w, r, &made); err != nil {
			return err
		}
		st.Last++
		made.ID = fmt.Sprintf("hook-%d", st.Last)
		made.Secret = rand.Text()
		st.Webhooks = append(st.Webhooks, made)
		if key != "" {
			st.Answers = append(st.Answers, answered{key, made})
		}
		return made.check()
	})
	answer(w, http.StatusCreated, made, err)
}

func (s *Store) list(w http.ResponseWriter, r *http.Request) {
	name, value, filtered := strings.Cut(r.FormValue("tag"), "=")
	found := slices.DeleteFunc(s.All(), func(h Webhook) bool {
		got, tagged := h.Tags[name]
		return filtered && (!tagged || got != value)
	})
	answer(w, http.StatusOK, found, nil)
}

func (s *Store) get(w http.ResponseWriter, r *http.Request) {
	for _, h := range s.All() {
		if h.ID == r.PathValue("id") {
			answer(w, http.StatusOK, h, nil)
			return
		}
	}
	answer(w, 0, nil, errNotFound)
}

func (s *Store) patch(w http.ResponseWriter, r *http.Request) {
	var changed Webhook
	err := s.change(func(st *state) error {
		i := st.find(r.PathValue("id"))
		if i < 0 {
			return errNotFound
		}
		old := st.Webhooks[i]
		changed = old
		changed.Tags = maps.Clone(old.Tags)       // decoding adds to a map,
		changed.Events = slices.Clone(old.Events) // and writes into a slice
		if err := read(w, r, &changed); err != nil {
			return err
		}
		changed.ID, changed.Secret = old.ID, old.Secret
		st.Webhooks[i] = changed
		return changed.check()
	})
	answer(w, http.StatusOK, changed, err)
}

func (s *Store) remove(w http.ResponseWriter, r *http.Request) {
	err := s.change(func(st *state) error {
		i := st.find(r.PathValue("id"))
		if i < 0 {
			return errNotFound
		}
		st.Webhooks = slices.Delete(st.Webhooks, i, i+1)
		return nil
	})
	answer(w, http.StatusOK, struct{}{}, err)
}

func (h Webhook) check() error {
	if !strings.HasPrefix(h.URL, "https://") {
		return fmt.Errorf("%w: its url does not begin with https://", errInvalid)
	}
	return nil
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
