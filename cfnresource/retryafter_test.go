package cfnresource_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A call that the service throttles is not tried again before RetryAfter says,
// and not at all if there is no time left then.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration
		status string
		takes  time.Duration
	}{
		{"within the time that is left", 20 * time.Second, "SUCCESS", 20 * time.Second},
		{"longer", 28 * time.Second, "FAILED", 0},
		{"much longer", 1 << 62, "FAILED", 0},
	} {
		for _, op := range []string{"Create", "Update", "Delete"} {
			subtest(t, op+" "+tt.name, func(t *testing.T) {
				calls := 0
				busy := func() error {
					if calls++; calls > 1 {
						return nil
					}
					return cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), tt.after)
				}
				h := &fake{
					onCreate: func(context.Context, *create) (data, error) { return nil, busy() },
					onUpdate: func(context.Context, *update) (data, error) { return nil, busy() },
					onDelete: func(context.Context, *del) error { return busy() },
				}
				ev := map[string]payload{"Create": created(nil), "Update": updated("svc-1", "a", "a"), "Delete": deleted("svc-1")}[op]
				start := time.Now()
				if got := invoke(t, dispatcher(h), ev); got.Status != tt.status || time.Since(start) != tt.takes {
					t.Errorf("%s (%s) after %s, want %s after %s", got.Status, got.Reason, time.Since(start), tt.status, tt.takes)
				}
			})
		}
	}
}

func TestRetryAfterKeepsTheError(t *testing.T) {
	if cfnresource.RetryAfter(nil, time.Second) != nil {
		t.Error("no error became one")
	}
	err := cfnresource.RetryAfter(cfnresource.Errorf(cfnresource.CodeThrottling, "slow: %w", errSome), time.Second)
	if cfnresource.CodeOf(err) != cfnresource.CodeThrottling || !errors.Is(err, errSome) || err.Error() != "slow: "+errSome.Error() {
		t.Errorf("%v (%s)", err, cfnresource.CodeOf(err))
	}
}
