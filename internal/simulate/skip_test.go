package simulate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

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
