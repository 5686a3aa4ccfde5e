package local

import (
	"slices"
	"sync"
)

// An injector holds the faults of an operation, those that were injected into its
// requests, and the answers that the fault late holds back.
type injector struct {
	faults *Faults // nil are none

	mu       sync.Mutex
	requests map[string]*requestFaults // by RequestId
	held     []heldAnswer
}

// A requestFaults holds the faults of a request, and its resource.
type requestFaults struct {
	resource string       // as seen from the root stack
	kinds    []*faultKind // that were injected
	awaited  []*faultKind // that have not struck yet
}

func (f requestFaults) has(kind *faultKind) bool { return slices.Contains(f.kinds, kind) }

// A heldAnswer is one that is held back until nobody waits for it.
type heldAnswer struct {
	requestID string
	body      []byte
}

// request returns the faults of a request, of which there may be none. The mu is held.
func (i *injector) request(requestID string) *requestFaults {
	if i.requests == nil {
		i.requests = map[string]*requestFaults{}
	}
	if i.requests[requestID] == nil {
		i.requests[requestID] = new(requestFaults)
	}
	return i.requests[requestID]
}

func (i *injector) inject(requestID, resource string, kinds []*faultKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.request(requestID)
	f.resource, f.kinds = resource, append(f.kinds, kinds...)
}

// await notes the faults that are to strike a request.
func (i *injector) await(requestID string, kinds []*faultKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.request(requestID)
	f.awaited = append(f.awaited, kinds...)
}

// struck returns the fault that has struck a request by now, which does not do so again, or nil.
func (i *injector) struck(requestID string, is func(*faultKind) bool) *faultKind {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.request(requestID)
	at := slices.IndexFunc(f.awaited, is)
	if at < 0 {
		return nil
	}
	kind := f.awaited[at]
	f.awaited = slices.Delete(f.awaited, at, at+1)
	return kind
}

func (i *injector) of(requestID string) requestFaults {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := *i.request(requestID)
	f.kinds = slices.Clone(f.kinds)
	return f
}

func (i *injector) hold(answers ...heldAnswer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held = append(i.held, answers...)
}

// release returns the answers that are held back, and holds none any more.
func (i *injector) release() []heldAnswer {
	i.mu.Lock()
	defer i.mu.Unlock()
	held := i.held
	i.held = nil
	return held
}
