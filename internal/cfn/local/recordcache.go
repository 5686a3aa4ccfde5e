package local

import (
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/cfn/store"
)

// A recordCache holds what is kept of a home's stacks, to be looked at: a record is
// read again only if something was kept since. Several goroutines can use it.
type recordCache struct {
	home *Home

	mu    sync.Mutex
	known map[string]cachedRecord
}

type cachedRecord struct {
	stamp  store.Stamp
	record *record.Record
}

func newRecordCache(h *Home) *recordCache {
	return &recordCache{home: h, known: map[string]cachedRecord{}}
}

// look has somebody look at a stack's record, one at a time: what a record is
// asked for it keeps.
func (c *recordCache) look(name string, look func(*record.Record)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamp, unstamped := c.home.store.Stamp(name)
	known, ok := c.known[name]
	if !ok || unstamped != nil || !stamp.Same(known.stamp) {
		delete(c.known, name)
		kept, err := c.home.Stack(name)
		if err != nil {
			return err
		}
		known = cachedRecord{stamp, kept}
		if unstamped == nil {
			c.known[name] = known
		}
	}
	look(known.record)
	return nil
}
