package cfnresource

import "sync"

// A createdID is the ID of what a Create has made. The goroutines of a handler
// set it; the dispatcher reads it once, possibly before the Create returns.
type createdID struct {
	mu   sync.Mutex
	id   string
	late func(id string)
}

// set sets the ID, unless it is empty.
func (c *createdID) set(id string) {
	if id == "" {
		return
	}
	c.mu.Lock()
	c.id = id
	late := c.late
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

// close returns the ID; what is set from now on goes to late too.
func (c *createdID) close(late func(id string)) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = late
	return c.id
}
