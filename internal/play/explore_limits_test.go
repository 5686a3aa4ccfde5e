package play_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// A limit excuses what is left when the reply of the service is lost, and not
// what is left when the handler goes on without having named it.
func TestALimitDoesNotExcuseALateCreated(t *testing.T) {
	const (
		unnamed   = "a replacement that fails after its effect and before Created leaves its new resource"
		outOfTime = "a replacement that runs out of time leaves what it made"
	)
	c := boxContract(func(d *depot) play.Handler { return process(createdLate{named{d}}) })
	for _, test := range []struct{ line, limit, found string }{
		{"v0 v2!fail-at-step:2@1", unnamed, ""},
		{"v0 v2!fail-at-step:3@1", "", "left behind"},
		{"v0 v2!hang-at-step:2@1", outOfTime, ""},
		{"v0 v2!hang-at-step:3@1", "", "left behind"},
	} {
		found, limit := play.Replayed(t, c, test.line)
		if limit != test.limit || !strings.HasPrefix(found, test.found) || test.found == "" && found != "" {
			t.Errorf("%s: met the limit %q, want %q; found %s", test.line, limit, test.limit, found)
		}
	}
}
