package gate_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/gate"
)

func TestGateLetsOneThroughForEachResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate.Gate
		leave, _ := g.Enter(t.Context(), "a", "first")
		if other, _ := g.Enter(t.Context(), "b", "first"); other == nil {
			t.Error("another resource waits")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if other, busy := g.Enter(ctx, "a", "second"); other != nil || busy != "first" {
			t.Errorf("two are inside, or it is busy with %q", busy)
		}
		inside, most := 0, 0
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				leave, _ := g.Enter(t.Context(), "a", "another")
				inside++
				most = max(most, inside)
				<-time.After(time.Second)
				inside--
				leave()
			})
		}
		leave()
		wg.Wait()
		if most != 1 {
			t.Errorf("%d were inside at once", most)
		}
	})
}

func TestMemoryKeepsTheLastAnswers(t *testing.T) {
	var m gate.Memory
	event := func(i int) gate.Key { return gate.KeyOf(fmt.Append(nil, i)) }
	body := func(i int) []byte { return fmt.Append(nil, i) }
	for i := range 100 {
		m.Put(event(i), body(i), true)
		m.Put(event(i), body(i), true) // again: no second place
	}
	if _, ok := m.Get(event(0)); ok {
		t.Error("the memory grows for ever")
	}
	for i := range 64 {
		if got, ok := m.Get(event(i + 36)); !ok || string(got) != string(body(i+36)) {
			t.Errorf("event %d: %q, %v", i+36, got, ok)
		}
	}
	if _, ok := m.Get(gate.KeyOf([]byte("another"))); ok {
		t.Error("an event that never was is remembered")
	}
}

// CloudFormation asks again for what failed; what succeeded is settled.
func TestMemoryForgetsDeliveredFailures(t *testing.T) {
	var m gate.Memory
	failed, succeeded := gate.KeyOf([]byte("f")), gate.KeyOf([]byte("s"))
	m.Put(failed, []byte("FAILED"), false)
	m.Put(succeeded, []byte("SUCCESS"), true)
	if _, ok := m.Get(failed); !ok {
		t.Error("a failure that was not delivered is forgotten")
	}
	m.Delivered(failed)
	m.Delivered(succeeded)
	if _, ok := m.Get(failed); ok {
		t.Error("a failure that was delivered is remembered")
	}
	if _, ok := m.Get(succeeded); !ok {
		t.Error("a success is forgotten")
	}
}
