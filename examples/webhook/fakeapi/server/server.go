// Package server is an API for webhooks, of the kind that many services have:
// it gives each webhook an ID of its own, and keeps tags. It is there for
// trying a handler and for tests.
//
//	POST   /webhooks              makes one; the same Idempotency-Key makes no second one
//	GET    /webhooks?tag=a=b      lists all, or those with a tag, the oldest first
//	GET    /webhooks/{id}         describes one
//	PATCH  /webhooks/{id}         sets the fields that are given, and adds to the tags
//	DELETE /webhooks/{id}         removes one
//
// What it cannot do: it delivers no events, limits no rates, and remembers an
// Idempotency-Key only as long as the webhook that was made with it.
package server

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// New returns the API over a store. If token is not empty, requests must bear
// it.
func New(store *Store, token string) http.Handler {
	s := &server{store}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhooks", s.create)
	mux.HandleFunc("GET /webhooks", s.list)
	mux.HandleFunc("GET /webhooks/{id}", s.get)
	mux.HandleFunc("PATCH /webhooks/{id}", s.patch)
	mux.HandleFunc("DELETE /webhooks/{id}", s.remove)
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
	errNotFound = errors.New("there is no such webhook")
	errInvalid  = errors.New("the webhook is not valid")
)

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	body, err := read(w, r)
	if err != nil {
		answer(w, 0, nil, err)
		return
	}
	made := record{Webhook: Webhook{Active: true}, Key: r.Header.Get("Idempotency-Key")}
	err = s.store.change(func(st *state) error {
		if i := slices.IndexFunc(st.Webhooks, func(r record) bool { return made.Key != "" && r.Key == made.Key }); i >= 0 {
			made = st.Webhooks[i]
			return nil
		}
		if err := apply(body, &made.Webhook); err != nil {
			return err
		}
		st.Last++
		made.ID = fmt.Sprintf("hook-%d", st.Last)
		made.Secret = rand.Text()
		st.Webhooks = append(st.Webhooks, made)
		return nil
	})
	answer(w, http.StatusCreated, made.Webhook, err)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	name, value, filtered := strings.Cut(r.FormValue("tag"), "=")
	found := slices.DeleteFunc(s.store.All(), func(h Webhook) bool {
		got, tagged := h.Tags[name]
		return filtered && (!tagged || got != value)
	})
	reply(w, http.StatusOK, found)
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	for _, h := range s.store.All() {
		if h.ID == r.PathValue("id") {
			reply(w, http.StatusOK, h)
			return
		}
	}
	answer(w, 0, nil, errNotFound)
}

func (s *server) patch(w http.ResponseWriter, r *http.Request) {
	body, err := read(w, r)
	if err != nil {
		answer(w, 0, nil, err)
		return
	}
	var changed Webhook
	err = s.store.change(func(st *state) error {
		i := st.find(r.PathValue("id"))
		if i < 0 {
			return errNotFound
		}
		old := st.Webhooks[i].Webhook
		changed = old
		changed.Tags = maps.Clone(old.Tags)       // decoding adds to a map,
		changed.Events = slices.Clone(old.Events) // and writes into a slice
		if err := apply(body, &changed); err != nil {
			return err
		}
		changed.ID, changed.Secret = old.ID, old.Secret
		st.Webhooks[i].Webhook = changed
		return nil
	})
	answer(w, http.StatusOK, changed, err)
}

func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	err := s.store.change(func(st *state) error {
		i := st.find(r.PathValue("id"))
		if i < 0 {
			return errNotFound
		}
		st.Webhooks = slices.Delete(st.Webhooks, i, i+1)
		return nil
	})
	answer(w, http.StatusOK, struct{}{}, err)
}

func read(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	return body, nil
}

// apply decodes body onto h, and judges the outcome.
func apply(body []byte, h *Webhook) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(h); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if !strings.HasPrefix(h.URL, "https://") {
		return fmt.Errorf("%w: its url does not begin with https://", errInvalid)
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
