package cfnresource

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGateLetsOneThroughForEachResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		leave, _ := g.enter(t.Context(), "a", "first")
		if other, _ := g.enter(t.Context(), "b", "first"); other == nil {
			t.Error("another resource waits")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if other, busy := g.enter(ctx, "a", "second"); other != nil || busy != "first" {
			t.Errorf("two are inside, or it is busy with %q", busy)
		}
		inside, most := 0, 0
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				leave, _ := g.enter(t.Context(), "a", "another")
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
	var m memory
	event := func(i int) eventKey { return eventKeyOf(fmt.Append(nil, i)) }
	body := func(i int) []byte { return fmt.Append(nil, i) }
	for i := range 100 {
		m.put(event(i), body(i), true)
		m.put(event(i), body(i), true) // again: no second place
	}
	if _, ok := m.get(event(0)); ok {
		t.Error("the memory grows for ever")
	}
	for i := range 64 {
		if got, ok := m.get(event(i + 36)); !ok || string(got) != string(body(i+36)) {
			t.Errorf("event %d: %q, %v", i+36, got, ok)
		}
	}
	if _, ok := m.get(eventKeyOf([]byte("another"))); ok {
		t.Error("an event that never was is remembered")
	}
}

// CloudFormation asks again for what failed; what succeeded is settled.
func TestMemoryForgetsDeliveredFailures(t *testing.T) {
	var m memory
	failed, succeeded := eventKeyOf([]byte("f")), eventKeyOf([]byte("s"))
	m.put(failed, []byte("FAILED"), false)
	m.put(succeeded, []byte("SUCCESS"), true)
	if _, ok := m.get(failed); !ok {
		t.Error("a failure that was not delivered is forgotten")
	}
	m.delivered(failed)
	m.delivered(succeeded)
	if _, ok := m.get(failed); ok {
		t.Error("a failure that was delivered is remembered")
	}
	if _, ok := m.get(succeeded); !ok {
		t.Error("a success is forgotten")
	}
}
