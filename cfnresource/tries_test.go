package cfnresource

import (
	"testing"
	"time"
)

// Each request to delete a resource has a number of its own, but one that is made a single time
// shares it with the next: the token of a request that is tried again must not change.
func TestDeletionsAreNumbered(t *testing.T) {
	var tr tries
	for i, tt := range []struct {
		id   string
		once bool
		want int
	}{
		{"a", true, 0}, {"a", true, 0}, {"a", false, 0}, {"a", false, 1}, {"b", false, 0}, {"a", true, 2},
	} {
		if got := tr.deletion(tt.id, tt.once); got != tt.want {
			t.Errorf("%d: the deletion of %s has the number %d, want %d", i, tt.id, got, tt.want)
		}
	}
}

// Only the call that failed last says when to try again.
func TestRetryAfterIsOfTheLastCall(t *testing.T) {
	var tr tries
	if got := tr.retryAfter(); got != 0 {
		t.Errorf("%s before any call", got)
	}
	tr.failure = &failure{retryAfter: time.Second}
	if got := tr.retryAfter(); got != time.Second {
		t.Errorf("%s, want a second", got)
	}
}
