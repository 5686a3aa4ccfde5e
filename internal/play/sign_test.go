package play

import (
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
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

// A fault is a sign of what became of its own request. What a later one met, it met alone.
func TestAFaultIsASignOfItsOwnRequest(t *testing.T) {
	hit := simulate.Request{Type: "Update", Outcome: string(engine.Succeeded), FaultHit: true}
	hit.Fault.Kind = fault.Twice
	failed := simulate.Request{Type: "Update", Outcome: string(engine.Failed), Deliveries: []simulate.Delivery{
		{Calls: []simulate.Call{{Method: "Update", Error: "there are five versions"}}},
	}}
	both := failed
	both.FaultHit, both.Fault = hit.FaultHit, hit.Fault
	for name, test := range map[string]struct {
		requests []simulate.Request
		want     bool
	}{
		"a later one fails": {[]simulate.Request{hit, failed}, false},
		"it fails itself":   {[]simulate.Request{hit, both}, true},
	} {
		signs, _ := scene{harm: failsWithoutCause, requests: test.requests}.signs()
		if got := slices.Contains(signs, string(fault.Twice)); got != test.want {
			t.Errorf("%s: the signs are %q", name, signs)
		}
	}
}

// A call that had most of the function's time did not lack what the wait before it took.
func TestOnlyACallThatHadLittleTimeIsExcused(t *testing.T) {
	for after, want := range map[time.Duration]bool{3 * time.Second: true, 4 * time.Minute: false} {
		if text := (stoppedCall{"Delete", after}).Text(5 * time.Minute); (text != "") != want {
			t.Errorf("after %v: %q", after, text)
		}
	}
}
