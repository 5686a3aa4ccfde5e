package play

import (
	"errors"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/hook"
)

// A method that was abandoned may end while the check goes on: the race detector sees what the two share.
func TestAnAbandonedCallMayEndAtAnyTime(t *testing.T) {
	r := &run{seen: idSet{}, err: errors.New("nothing is delivered")}
	var abandoned sync.WaitGroup
	abandoned.Go(func() {
		for range 100 {
			_, _ = r.recordCall(t.Context(), hook.Call{Method: "Find"}, func() (string, error) { return "id", nil })
		}
	})
	for range 100 {
		r.deliverWithoutFind(nil)
		r.takeCalls()
	}
	abandoned.Wait()
}
