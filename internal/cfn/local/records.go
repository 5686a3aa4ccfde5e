package local

import (
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/store"
)

// records are what is kept of a home's stacks, to be looked at: each is read
// again only if something was kept since. They can be used by several goroutines.
type records struct {
	home *Home

	mu    sync.Mutex
	known map[string]readRecord
}

type readRecord struct {
	stamp  store.Stamp
	record *Record
}

func newRecords(h *Home) *records { return &records{home: h, known: map[string]readRecord{}} }

// look has somebody look at a stack's record, one at a time: what a record is
// asked for it keeps.
func (r *records) look(name string, look func(*Record)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	stamp, unstamped := r.home.store.Stamp(name)
	known, ok := r.known[name]
	if !ok || unstamped != nil || !stamp.Same(known.stamp) {
		delete(r.known, name)
		record, err := r.home.Stack(name)
		if err != nil {
			return err
		}
		known = readRecord{stamp, record}
		if unstamped == nil {
			r.known[name] = known
		}
	}
	look(known.record)
	return nil
}
