package local

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Delete is lost by the form of its ID. It waits in the queue if no Create can run, and in no
// operation that goes forward: there an old event is not awaited.
func TestLostDelete(t *testing.T) {
	const madeUp = "shop-Thing-ABCDEFGHIJKLM"
	cancelled := engine.Request{RequestType: "Create", LogicalID: "Thing", Outcome: engine.Cancelled}
	answered := cancelled
	answered.Late = []string{"{}"}
	for name, tt := range map[string]struct {
		status  string
		q       engine.Request
		earlier engine.Request
		want    lost
	}{
		"an ID of the handler":          {"ROLLBACK_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: "thing-1"}, cancelled, known},
		"of another form":               {"ROLLBACK_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: "shop-Thing-ABCDEF"}, cancelled, known},
		"an Update of such an ID":       {"UPDATE_IN_PROGRESS", engine.Request{RequestType: "Update", PhysicalID: madeUp}, cancelled, known},
		"a registered type":             {"ROLLBACK_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: madeUp, Calls: 1}, cancelled, known},
		"a Create that timed out":       {"ROLLBACK_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: madeUp}, engine.Request{RequestType: "Create", LogicalID: "Thing", Outcome: engine.TimedOut}, queued},
		"a Create that answered late":   {"DELETE_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: madeUp}, answered, queued},
		"a Create that was cancelled":   {"UPDATE_ROLLBACK_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: madeUp}, cancelled, overtakes},
		"the cleanup of a whole update": {"UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", engine.Request{RequestType: "Delete", PhysicalID: madeUp}, cancelled, young},
	} {
		tt.q.LogicalID = "Thing"
		s := &engine.Stack{Name: "shop", Status: tt.status, Requests: []*engine.Request{&tt.earlier, &tt.q}}
		if got := lostDelete(s, &tt.q); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// Whoever waits for the others to end does not wait for those who do the same, nor for long.
func TestSettle(t *testing.T) {
	for name, tt := range map[string]struct {
		work time.Duration
		want bool
	}{"a Create about to end": {realPause / 2, true}, "one that runs on": {realPause * 2, false}} {
		synctest.Test(t, func(t *testing.T) {
			var s sentRequests
			s.running.Store(3) // two that settle, and the Create
			time.AfterFunc(tt.work, func() { s.running.Add(-1) })
			both := make(chan bool, 2)
			for range 2 {
				go func() {
					both <- s.settle(t.Context())
					s.running.Add(-1)
				}()
			}
			if one, other := <-both, <-both; one != tt.want || other != tt.want {
				t.Errorf("%s: alone %t and %t, want %t", name, one, other, tt.want)
			}
		})
	}
}

// Handlers that work on after the end are waited for, and who waits is told so, again and again.
func TestTheEndOfHandlersIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(notes, 9)
		o := &operation{watcher: &serialWatcher{to: told}}
		o.sent.begin(t.Context())
		o.sent.start(func(context.Context) { <-time.After(100 * time.Second) })
		began := time.Now()
		if err := o.drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 100*time.Second {
			t.Errorf("waited for %v", took)
		}
		close(told)
		for _, want := range []string{"Handlers still work on requests", ", 33s after", ", 1m3s after", ", 1m33s after"} {
			if got := <-told; !strings.Contains(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		if more, is := <-told; is {
			t.Errorf("told %q", more)
		}
	})
}
