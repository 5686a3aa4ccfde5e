package cfnresource

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
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

// A pause leaves time for a try: without a service's wish it takes half of what is
// left at most, and it is not begun if the try would come too late.
func TestNextTry(t *testing.T) {
	const left = 10 * time.Second
	for _, tt := range []struct {
		name        string
		first       time.Duration // of the pauses, half of which is random
		atLeast     time.Duration
		least, most time.Duration // 0 if there is no try
	}{
		{"the pause", 2 * time.Second, 0, time.Second, 2 * time.Second},
		{"half of the time that is left", 10 * time.Second, 0, left / 2, left / 2},
		{"the service's wish", 2 * time.Second, 9 * time.Second, 9 * time.Second, 9 * time.Second},
		{"a wish that takes all", 2 * time.Second, left, 0, 0},
		{"too little time", 21 * time.Second, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), left)
				defer cancel()
				wait, again := nextTry(ctx, &guard.Backoff{First: tt.first, Last: time.Minute}, tt.atLeast)
				if again != (tt.most > 0) || again && (wait < tt.least || wait > tt.most) {
					t.Errorf("another try: %t, after %s; want one after %s to %s", again, wait, tt.least, tt.most)
				}
			})
		})
	}
}
