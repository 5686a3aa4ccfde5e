package play

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Advice names the method that failed. Where two processes handle an event at once, the last call of the second one need not be
// that.
func TestAdviceNamesTheMethodThatFailed(t *testing.T) {
	calls := []simulate.Delivery{
		{Calls: []simulate.Call{{Method: "Create", Error: "the zone is busy"}}},
		{Calls: []simulate.Call{{Method: "Find"}, {Method: "Update"}}},
	}
	for kind, want := range map[fault.Kind]string{fault.Twice: "Create", fault.Redeliver: "Update"} {
		q := simulate.Request{Type: "Update", Deliveries: calls}
		q.Fault.Kind = kind
		if got := methodOf(q); got != want {
			t.Errorf("with %s it names %s, want %s", kind, got, want)
		}
	}
}
