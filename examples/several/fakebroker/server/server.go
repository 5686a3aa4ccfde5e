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

// kept is what outlives the process: things by virtual host, or by virtual host
// and name with a space between.
type kept struct {
	VirtualHosts, Queues, Policies map[string]Thing
}

// New returns a broker with the default virtual host, or what a file keeps.
func New(path string) (*Broker, error) {
	b := &Broker{path: path, kept: kept{
		VirtualHosts: map[string]Thing{"/": {"description": "Default virtual host"}},
		Queues:       make(map[string]Thing),
		Policies:     make(map[string]Thing),
	}}
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
func (b *Broker) VirtualHosts() map[string]Thing { return b.copy(b.kept.VirtualHosts) }

// Queues returns what there is, by "VHOST NAME".
func (b *Broker) Queues() map[string]Thing { return b.copy(b.kept.Queues) }

// Policies returns what there is, by "VHOST NAME".
func (b *Broker) Policies() map[string]Thing { return b.copy(b.kept.Policies) }

func (b *Broker) copy(things map[string]Thing) map[string]Thing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(things) // a thing is replaced, never changed
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
	switch key := strings.Join(path[1:], " "); {
	case path[0] == "vhosts":
		defer b.sweep()
		return do(r, b.kept.VirtualHosts, key)
	case b.kept.VirtualHosts[path[1]] == nil:
		return http.StatusNotFound, Thing{"error": "not_found", "reason": "vhost_not_found"}
	case path[0] == "policies":
		return do(r, b.kept.Policies, key)
	default:
		return do(r, b.kept.Queues, key)
	}
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
	for _, things := range []map[string]Thing{b.kept.Queues, b.kept.Policies} {
		for key := range things {
			if vhost, _, _ := strings.Cut(key, " "); b.kept.VirtualHosts[vhost] == nil {
				delete(things, key)
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
