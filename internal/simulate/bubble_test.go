package simulate

import (
	"errors"
	"testing"
	"time"
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
