package simulate

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// Goroutines that are blocked for ever are an error; another panic is one.
func TestBubble(t *testing.T) {
	if InBubble() {
		t.Error("a test is not in a bubble by itself")
	}
	done := false
	if err := Bubble(t, func(*testing.T) { <-time.After(time.Hour); done = InBubble() }); err != nil || !done {
		t.Errorf("an hour in a bubble: %v, in one: %t", err, done)
	}
	if err := Bubble(t, func(*testing.T) { go func() { select {} }() }); !errors.Is(err, errBlocked) {
		t.Errorf("a goroutine that stays: %v", err)
	}
	if err := Bubble(t, func(*testing.T) { select {} }); !errors.Is(err, errBlocked) {
		t.Errorf("a play that does not end: %v", err)
	}
	if err := Bubble(t, func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("a bubble in a bubble: its panic was taken for blocked goroutines")
			}
		}()
		_ = Bubble(t, func(*testing.T) {})
	}); err != nil {
		t.Error(err)
	}
	if err := Bubble(t, func(*testing.T) {}); err != nil {
		t.Errorf("a bubble after one that stays: %v", err)
	}
}

// A busy machine makes a bubble slow. It ends only where nothing happens any more.
func TestABubbleEndsWhereNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var still atomic.Int64
		stop := whenStill(time.Minute, func(d time.Duration) { still.Store(int64(d)) })
		defer stop()
		for range 10 {
			happened.Add(1)
			<-time.After(time.Minute - time.Second)
		}
		if still.Load() > 0 {
			t.Error("it acts though something has happened")
		}
		<-time.After(2*time.Minute + 30*time.Second)
		if got := time.Duration(still.Load()); got != 3*time.Minute {
			t.Errorf("nothing has happened for %v, want three minutes", got)
		}
		happened.Add(1)
		<-time.After(2 * time.Minute)
		if got := time.Duration(still.Load()); got != time.Minute {
			t.Errorf("something has happened, and it says that nothing has for %v", got)
		}
	})
}

// What comes of a context that ends early sees what it would see at the deadline.
func TestAnEarlyEndIsThatOfTheDeadline(t *testing.T) {
	base, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	early, end := withEarlyEnd(base)
	handler, stop := context.WithTimeout(early, time.Minute)
	defer stop()
	if early.Err() != nil || handler.Err() != nil {
		t.Fatalf("it has ended: %v, %v", early.Err(), handler.Err())
	}
	end()
	<-handler.Done()
	if !errors.Is(handler.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(handler), guard.ErrOutOfTime) || base.Err() != nil {
		t.Errorf("it has ended with %v because of %v, and what is around it with %v", handler.Err(), context.Cause(handler), base.Err())
	}
}

// A process that dies, or whose time is over, takes its context with it.
func TestAnEarlyEndIsNoLaterThanThatAroundIt(t *testing.T) {
	base, cancel := context.WithCancel(t.Context())
	early, _ := withEarlyEnd(base)
	cancel()
	<-early.Done()
	if !errors.Is(early.Err(), context.Canceled) {
		t.Errorf("it has ended with %v", early.Err())
	}
}
