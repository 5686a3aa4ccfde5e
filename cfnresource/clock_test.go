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

// A pause leaves time for a try: without a service's wish it takes half of what is
// left at most, and it is not begun if the try would come too late.
func TestClockPauses(t *testing.T) {
	const left = 10 * time.Second
	for _, tt := range []struct {
		name            string
		first           time.Duration // of the pauses, half of which is random
		atLeast, before time.Duration
		least, most     time.Duration // 0 if there is no try
	}{
		{"the pause", 2 * time.Second, 0, left, time.Second, 2 * time.Second},
		{"half of the time that is left", 10 * time.Second, 0, left, left / 2, left / 2},
		{"the service's wish", 2 * time.Second, 9 * time.Second, left, 9 * time.Second, 9 * time.Second},
		{"a wish that takes all", 2 * time.Second, left, time.Hour, 0, 0},
		{"the last moment for a try", 2 * time.Second, 5 * time.Second, 4 * time.Second, 0, 0},
		{"too little time", 21 * time.Second, 0, time.Hour, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), left)
				defer cancel()
				c := clock{handler: ctx}
				again := c.pause(&guard.Backoff{First: tt.first, Last: time.Minute}, tt.atLeast, start.Add(tt.before))
				if took := time.Since(start); again != (tt.most > 0) || took < tt.least || took > tt.most {
					t.Errorf("another try: %t, after %s; want one after %s to %s", again, took, tt.least, tt.most)
				}
			})
		})
	}
}
