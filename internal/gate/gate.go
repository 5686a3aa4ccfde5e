// Package gate handles the events of one resource one at a time, and keeps the
// answers for events that are delivered again.
package gate

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
)

// A Gate lets one event of each resource through at a time. Another one waits while this process
// still works on it: Lambda froze the process, or the handler ignored its context.
type Gate struct {
	mu   sync.Mutex
	busy map[string]turn // by resource
}

// A turn is an event's, with its resource.
type turn struct {
	request string
	over    chan struct{} // closed when the resource is free again
}

// Enter waits until the resource is free for a request. If ctx ends first, it
// returns nil, and the request that the resource is busy with.
func (g *Gate) Enter(ctx context.Context, resource, request string) (leave func(), busy string) {
	for {
		g.mu.Lock()
		other, taken := g.busy[resource]
		if !taken {
			mine := turn{request, make(chan struct{})}
			if g.busy == nil {
				g.busy = make(map[string]turn)
			}
			g.busy[resource] = mine
			g.mu.Unlock()
			return func() {
				g.mu.Lock()
				delete(g.busy, resource)
				g.mu.Unlock()
				close(mine.over)
			}, ""
		}
		g.mu.Unlock()
		select {
		case <-other.over:
		case <-ctx.Done():
			return nil, other.request
		}
	}
}

// A Memory holds the answers to the latest events. Its key is the hash of the whole
// event with the signed URL, since CloudFormation may reuse a RequestId.
type Memory struct {
	mu      sync.Mutex
	answers map[Key]answer
	order   []Key
}

type answer struct {
	body    []byte
	success bool
}

// memorySize is how many answers a memory holds: about 256 kB.
const memorySize = 64

// A Key identifies an event.
type Key [sha256.Size]byte

// KeyOf returns the key of an event.
func KeyOf(event []byte) Key { return sha256.Sum256(event) }

// Get returns the answer to the event, if it is known.
func (m *Memory) Get(event Key) (body []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.answers[event]
	return a.body, ok
}

// Put stores the answer to an event, and drops the oldest.
func (m *Memory) Put(event Key, body []byte, success bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil {
		m.answers = make(map[Key]answer)
	}
	if _, ok := m.answers[event]; !ok {
		m.order = append(m.order, event)
	}
	m.answers[event] = answer{body, success}
	if len(m.order) > memorySize {
		delete(m.answers, m.order[0])
		m.order = m.order[1:]
	}
}

// Delivered says that CloudFormation has the answer, and may send the same event when it
// tries again, such as a Delete. A failure is dropped then.
func (m *Memory) Delivered(event Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, ok := m.answers[event]; ok && !a.success {
		delete(m.answers, event)
		m.order = slices.DeleteFunc(m.order, func(k Key) bool { return k == event })
	}
}
