package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
)

// A fakeBroker is as much of RabbitMQ's management API as the handlers use, in
// memory: a transport that answers without a network. It knows no users, holds
// no messages, and refuses nothing but what these tests are about.
type fakeBroker struct {
	mu       sync.Mutex
	vhosts   map[string]object
	queues   map[[2]string]object // by virtual host and name
	policies map[[2]string]object
}

type object = map[string]any

func newFakeBroker() *fakeBroker {
	return &fakeBroker{
		vhosts:   map[string]object{"/": {"description": "Default virtual host"}},
		queues:   make(map[[2]string]object),
		policies: make(map[[2]string]object),
	}
}

// RoundTrip implements [http.RoundTripper].
func (f *fakeBroker) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w := httptest.NewRecorder()
	switch path := parts(r.URL); {
	case path[0] == "vhosts":
		serve(w, r, f.vhosts, path[1])
		f.sweep()
	case f.vhosts[path[1]] == nil:
		http.Error(w, `{"error":"not_found","reason":"vhost_not_found"}`, http.StatusNotFound)
	case path[0] == "policies":
		serve(w, r, f.policies, [2]string(path[1:]))
	default:
		serve(w, r, f.queues, [2]string(path[1:]))
	}
	return w.Result(), nil
}

// parts returns what follows /api/, in parts that may hold slashes.
func parts(u *url.URL) []string {
	path := strings.Split(u.EscapedPath(), "/")[2:]
	for i := range path {
		path[i], _ = url.PathUnescape(path[i])
	}
	return path
}

func serve[K comparable](w http.ResponseWriter, r *http.Request, things map[K]object, key K) {
	was, there := things[key]
	switch {
	case r.Method == http.MethodPut:
		var is object
		if err := json.NewDecoder(r.Body).Decode(&is); err != nil {
			http.Error(w, `{"error":"bad_request","reason":"not_json"}`, http.StatusBadRequest)
			return
		}
		if there && !reflect.DeepEqual(was["arguments"], is["arguments"]) {
			http.Error(w, `{"error":"bad_request","reason":"inequivalent arg 'x-queue-type'"}`, http.StatusBadRequest)
			return
		}
		things[key] = is
		w.WriteHeader(map[bool]int{true: http.StatusNoContent, false: http.StatusCreated}[there])
	case !there:
		http.Error(w, `{"error":"Object Not Found","reason":"Not Found"}`, http.StatusNotFound)
	case r.Method == http.MethodDelete:
		delete(things, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		_ = json.NewEncoder(w).Encode(was)
	}
}

// sweep removes what was in a virtual host that is gone.
func (f *fakeBroker) sweep() {
	for _, things := range []map[[2]string]object{f.queues, f.policies} {
		for key := range things {
			if f.vhosts[key[0]] == nil {
				delete(things, key)
			}
		}
	}
}
