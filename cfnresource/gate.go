package cfnresource

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
)

// A gate lets one event of each resource through at a time. Another one waits while this process
// still works on it: Lambda froze the process, or the handler ignored its context.
type gate struct {
	mu   sync.Mutex
	busy map[string]turn // by resource
}

// A turn is an event's, with its resource.
type turn struct {
	request string
	over    chan struct{} // closed when the resource is free again
}

// enter waits until the resource is free for a request. If ctx ends first, it
// returns nil, and the request that the resource is busy with.
func (g *gate) enter(ctx context.Context, resource, request string) (leave func(), busy string) {
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

// A memory holds the answers to the latest events. Its key is the hash of the whole
// event with the signed URL, since CloudFormation may reuse a RequestId.
type memory struct {
	mu      sync.Mutex
	answers map[eventKey]remembered
	order   []eventKey
}

type remembered struct {
	body    []byte
	success bool
}

// memorySize is how many answers a memory holds: about 256 kB.
const memorySize = 64

// An eventKey identifies an event.
type eventKey [sha256.Size]byte

// eventKeyOf returns the key of an event.
func eventKeyOf(event []byte) eventKey { return sha256.Sum256(event) }

// get returns the answer to the event, if it is known.
func (m *memory) get(event eventKey) (body []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.answers[event]
	return a.body, ok
}

// put stores the answer to an event, and drops the oldest.
func (m *memory) put(event eventKey, body []byte, success bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil {
		m.answers = make(map[eventKey]remembered)
	}
	if _, ok := m.answers[event]; !ok {
		m.order = append(m.order, event)
	}
	m.answers[event] = remembered{body, success}
	if len(m.order) > memorySize {
		delete(m.answers, m.order[0])
		m.order = m.order[1:]
	}
}

// delivered says that CloudFormation has the answer, and may send the same event when it
// tries again, such as a Delete. A failure is dropped then.
func (m *memory) delivered(event eventKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, ok := m.answers[event]; ok && !a.success {
		delete(m.answers, event)
		m.order = slices.DeleteFunc(m.order, func(k eventKey) bool { return k == event })
	}
}
