package cfnresource

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

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
