// Package server is as much of RabbitMQ's management API as the handlers use. It knows no users,
// holds no messages, and refuses nothing but a queue of another type and what is in a virtual host
// that is not there. A real broker can be had for tests too: see the README.
package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync"
)

// A Thing is a virtual host, queue or policy, as it was put.
type Thing = map[string]any

// A Broker serves the API.
type Broker struct {
	path string // of the file that keeps it; "" is none
	mu   sync.Mutex
	kept kept
}

// kinds are those of the things that the API knows, as in its paths. All but the first are in a
// virtual host.
var kinds = []string{"vhosts", "queues", "policies"}

// kept is what outlives the process: things by kind, and there by virtual host, or by virtual host
// and name with a space between.
type kept map[string]map[string]Thing

// New returns a broker with the default virtual host, or what a file keeps.
func New(path string) (*Broker, error) {
	b := &Broker{path: path, kept: kept{}}
	for _, kind := range kinds {
		b.kept[kind] = make(map[string]Thing)
	}
	b.kept["vhosts"]["/"] = Thing{"description": "Default virtual host"}
	if path == "" {
		return b, nil
	}
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return b, nil
	} else if err != nil {
		return nil, err
	}
	return b, json.Unmarshal(text, &b.kept)
}

// VirtualHosts returns what there is, by name.
func (b *Broker) VirtualHosts() map[string]Thing { return b.Things("vhosts") }

// Queues returns what there is, by "VHOST NAME".
func (b *Broker) Queues() map[string]Thing { return b.Things("queues") }

// Policies returns what there is, by "VHOST NAME".
func (b *Broker) Policies() map[string]Thing { return b.Things("policies") }

// Things returns what there is of a kind.
func (b *Broker) Things(kind string) map[string]Thing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.kept[kind]) // a thing is replaced, never changed
}

// ServeHTTP implements [http.Handler].
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, err := parts(r.URL)
	if err != nil || len(path) < 2 || path[0] != "vhosts" && len(path) < 3 {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	status, reply := b.do(r, path)
	if err := b.save(); err != nil {
		status, reply = http.StatusInternalServerError, Thing{"error": "not_kept", "reason": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if reply != nil {
		_ = json.NewEncoder(w).Encode(reply)
	}
}

func (b *Broker) do(r *http.Request, path []string) (status int, reply Thing) {
	things, key := b.kept[path[0]], strings.Join(path[1:], " ")
	switch {
	case things == nil:
		return http.StatusNotFound, Thing{"error": "not_found", "reason": "this server knows no " + path[0]}
	case path[0] == "vhosts":
		defer b.sweep()
	case b.kept["vhosts"][path[1]] == nil:
		return http.StatusNotFound, Thing{"error": "not_found", "reason": "vhost_not_found"}
	}
	return do(r, things, key)
}

// parts returns what follows /api/, in parts that may hold slashes.
func parts(u *url.URL) (path []string, err error) {
	rest, _ := strings.CutPrefix(u.EscapedPath(), "/api/")
	path = strings.Split(rest, "/")
	for i := range path {
		if path[i], err = url.PathUnescape(path[i]); err != nil {
			return nil, err
		}
	}
	return path, nil
}

func do(r *http.Request, things map[string]Thing, key string) (status int, reply Thing) {
	was, there := things[key]
	switch {
	case r.Method == http.MethodPut:
		var is Thing
		if err := json.NewDecoder(r.Body).Decode(&is); err != nil {
			return http.StatusBadRequest, Thing{"error": "bad_request", "reason": "not_json"}
		}
		if there && !reflect.DeepEqual(was["arguments"], is["arguments"]) {
			return http.StatusBadRequest, Thing{"error": "bad_request", "reason": "inequivalent arg 'x-queue-type'"}
		}
		things[key] = is
		if there {
			return http.StatusNoContent, nil
		}
		return http.StatusCreated, nil
	case !there:
		return http.StatusNotFound, Thing{"error": "Object Not Found", "reason": "Not Found"}
	case r.Method == http.MethodDelete:
		delete(things, key)
		return http.StatusNoContent, nil
	}
	return http.StatusOK, was
}

// sweep removes what was in a virtual host that is gone.
func (b *Broker) sweep() {
	for _, kind := range kinds[1:] {
		for key := range b.kept[kind] {
			if vhost, _, _ := strings.Cut(key, " "); b.kept["vhosts"][vhost] == nil {
				delete(b.kept[kind], key)
			}
		}
	}
}

func (b *Broker) save() error {
	if b.path == "" {
		return nil
	}
	text, err := json.MarshalIndent(b.kept, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(b.path, append(text, '\n'), 0o600)
}
