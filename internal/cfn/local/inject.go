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
	injected map[string]requestFaults // by RequestId
	awaited  map[string][]*faultKind  // that have not struck yet
	held     []heldAnswer
}

// A requestFaults holds the faults of a request, and its resource.
type requestFaults struct {
	resource string // as seen from the root stack
	kinds    []*faultKind
}

func (f requestFaults) has(kind *faultKind) bool { return slices.Contains(f.kinds, kind) }

// A heldAnswer is one that is held back until nobody waits for it.
type heldAnswer struct {
	requestID string
	body      []byte
}

func (i *injector) inject(requestID, resource string, kinds []*faultKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.injected == nil {
		i.injected = map[string]requestFaults{}
	}
	i.injected[requestID] = requestFaults{resource, append(i.injected[requestID].kinds, kinds...)}
}

// await notes the faults that are to strike a request.
func (i *injector) await(requestID string, kinds []*faultKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.awaited == nil {
		i.awaited = map[string][]*faultKind{}
	}
	i.awaited[requestID] = append(i.awaited[requestID], kinds...)
}

// struck returns the fault that has struck a request by now, which does not do so again,
// or nil.
func (i *injector) struck(requestID string, is func(*faultKind) bool) *faultKind {
	i.mu.Lock()
	defer i.mu.Unlock()
	waiting := i.awaited[requestID]
	at := slices.IndexFunc(waiting, is)
	if at < 0 {
		return nil
	}
	kind := waiting[at]
	i.awaited[requestID] = slices.Delete(slices.Clone(waiting), at, at+1)
	return kind
}

func (i *injector) of(requestID string) requestFaults {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.injected[requestID]
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
