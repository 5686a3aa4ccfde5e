// Package track holds the ID of what a Create has made, beyond the Create.
package track

import "sync"

// An ID is set by the goroutines of a handler, and read once by the dispatcher.
type ID struct {
	mu   sync.Mutex
	id   string
	late func(id string)
}

// Set sets the ID, unless it is empty.
func (t *ID) Set(id string) {
	if id == "" {
		return
	}
	t.mu.Lock()
	t.id = id
	late := t.late
	t.mu.Unlock()
	if late != nil {
		late(id)
	}
}

// Get returns the ID that was set last, or "".
func (t *ID) Get() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// Close returns the ID; whatever is set from now on goes to late too.
func (t *ID) Close(late func(id string)) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = late
	return t.id
}
