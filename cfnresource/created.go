package cfnresource

import "sync"

// A createdID is the ID that a Create has named. Goroutines of the handler set it.
// The dispatcher reads it once, possibly before the Create returns.
type createdID struct {
	mu         sync.Mutex
	id         string
	afterClose func(id string)
}

// set sets the ID, unless it is empty.
func (c *createdID) set(id string) {
	if id == "" {
		return
	}
	c.mu.Lock()
	c.id = id
	late := c.afterClose
	c.mu.Unlock()
	if late != nil {
		late(id)
	}
}

func (c *createdID) get() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// close returns the ID. IDs that are set later are passed to late too.
func (c *createdID) close(late func(id string)) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.afterClose = late
	return c.id
}
