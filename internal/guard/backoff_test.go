package guard_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// Each pause is twice as long as the one before it, up to the last; half of it is left to chance.
func TestBackoff(t *testing.T) {
	for range 100 {
		b := guard.Backoff{First: time.Second, Last: 5 * time.Second}
		for i, seconds := range []int{1, 2, 4, 5, 5} {
			whole := time.Duration(seconds) * time.Second
			if got := b.Next(); got < whole/2 || got > whole {
				t.Fatalf("pause %d is %s, want %s to %s", i+1, got, whole/2, whole)
			}
		}
	}
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if !guard.Sleep(ctx, time.Second) || time.Since(start) != time.Second {
			t.Errorf("false, or after %s; want true after a second", time.Since(start))
		}
		if guard.Sleep(ctx, time.Hour) || time.Since(start) != time.Minute {
			t.Errorf("true, or after %s; want false when the context ends", time.Since(start))
		}
	})
}
