package event_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/event"
)

// Records that say nothing cost little more than their bytes.
func TestManyEmptyRecordsCostLittle(t *testing.T) {
	payload := []byte(`{"Records":[` + strings.Repeat("{},", 60_000) + `{}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := event.Read(payload)
	runtime.ReadMemStats(&after)
	if cost := (after.TotalAlloc - before.TotalAlloc) >> 20; cost > 12 {
		t.Errorf("%d kB cost %d MB", len(payload)>>10, cost)
	}
	if err == nil || !strings.Contains(err.Error(), "record 1 of 60001: it has no message") {
		t.Errorf("the error is %v", err)
	}
}
