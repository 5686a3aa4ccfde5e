package cfnresource

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
)

// An event whose sending is not known, or is still to come by another clock, counts
// as sent when it arrived.
func TestClockKnowsTheEventsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for _, tt := range []struct {
			name           string
			signed         time.Time
			sentAt, sentBy time.Duration // from now
			late           bool
		}{
			{"unknown", time.Time{}, 0, 0, false},
			{"to come", now.Add(time.Hour), 0, time.Second, false},
			{"young", now.Add(-time.Minute), -time.Minute, -59 * time.Second, false},
			{"old", now.Add(-61 * time.Second), -61 * time.Second, -time.Minute, true},
		} {
			c := newClock(t.Context(), &event.Event{SentAt: tt.signed, ServiceTimeout: time.Hour}, 0)
			c.cancel()
			if at, by := c.sentAt().Sub(now), c.sentBy().Sub(now); at != tt.sentAt || by != tt.sentBy || c.late() != tt.late {
				t.Errorf("%s: sent at %s, by %s, late: %t; want %s, %s, %t", tt.name, at, by, c.late(), tt.sentAt, tt.sentBy, tt.late)
			}
		}
	})
}

// The handler's context ends in time for the answer, with a cause that says so;
// useMargin gives it half of the answer's time, once.
func TestClockDividesTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := newClock(ctx, &event.Event{ServiceTimeout: time.Hour}, 10*time.Second)
		defer func() { c.cancel() }()
		for _, want := range []time.Duration{50 * time.Second, 55 * time.Second, 55 * time.Second} {
			if got, _ := c.handler.Deadline(); got.Sub(start) != want {
				t.Errorf("the handler's time ends after %s, want %s", got.Sub(start), want)
			}
			c.useMargin()
		}
		<-c.handler.Done()
		if cause := context.Cause(c.handler); cause != guard.ErrOutOfTime || c.invocation.Err() != nil {
			t.Errorf("the handler's context ends with %v, the invocation's with %v", cause, c.invocation.Err())
		}
	})
}
