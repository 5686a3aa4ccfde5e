package cfnresource

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// tries are what earlier calls of the handler's methods mean for later ones.
type tries struct {
	failure *failure       // of the last call, or nil
	ended   time.Time      // when the last Create or Update returned, or the event arrived; of an undo that waited, the end of the wait
	asked   int            // how often the stack was asked again why the event came
	backoff guard.Backoff  // of the tries that the rules ask for
	cutOff  *waitError     // the Poll that waited until the invocation's end, or nil
	deletes map[string]int // how many requests to delete it there were, by physical ID
}

// retryAfter returns how long the service asked to wait after the last call, or 0.
func (t *tries) retryAfter() time.Duration {
	if t.failure == nil {
		return 0
	}
	return t.failure.retryAfter
}

// deletion returns the number of the request that deletes a resource. If the request
// is not repeated, the next one has the same number.
func (t *tries) deletion(id string, once bool) int {
	n := t.deletes[id]
	if t.deletes == nil {
		t.deletes = make(map[string]int)
	}
	if !once {
		t.deletes[id]++
	}
	return n
}
