// Package gate keeps the events of one resource apart: one at a time, and one
// that comes again is answered as before.
package gate

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
)

// A Gate lets one event at a time through for each resource: an event that
// comes while this process still works on the one before it (Lambda froze the
// process, or the handler ignored its context) waits for it.
type Gate struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the resource is free again
}

// Enter waits until the resource is free. It returns nil if ctx ends first.
func (g *Gate) Enter(ctx context.Context, resource string) (leave func()) {
	for {
		g.mu.Lock()
		wait, taken := g.busy[resource]
		if !taken {
			free := make(chan struct{})
			if g.busy == nil {
				g.busy = make(map[string]chan struct{})
			}
			g.busy[resource] = free
			g.mu.Unlock()
			return func() {
				g.mu.Lock()
				delete(g.busy, resource)
				g.mu.Unlock()
				close(free)
			}
		}
		g.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil
		}
	}
}

// A Memory holds the answers of the last events that were worked on, by the
// hash of the whole event, its signed URL included: RequestIDs are used again.
type Memory struct {
	mu      sync.Mutex
	answers map[Key]answer
	order   []Key
}

type answer struct {
	body    []byte
	success bool
}

// memorySize bounds a memory to some 256 kB of answers.
const memorySize = 64

// A Key is what an event is remembered by.
type Key [sha256.Size]byte

// KeyOf returns the key of an event.
func KeyOf(event []byte) Key { return sha256.Sum256(event) }

// Get returns the answer that was put for the same event.
func (m *Memory) Get(event Key) (body []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.answers[event]
	return a.body, ok
}

// Put remembers the answer to an event, and forgets the oldest.
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

// Delivered says that CloudFormation has the answer. A failure is forgotten
// then: its next try of a Delete may be the same event.
func (m *Memory) Delivered(event Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, ok := m.answers[event]; ok && !a.success {
		delete(m.answers, event)
		m.order = slices.DeleteFunc(m.order, func(k Key) bool { return k == event })
	}
}
