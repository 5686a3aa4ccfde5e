package play_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A property that a handler does not pass on, or that State leaves out, changes nothing that
// a check can see: each would pass.
func TestAPropertyWhoseChangeChangesNoStateIsTold(t *testing.T) {
	warnings := func(c play.Contract) string {
		r := play.RunChecks(t, c, "update-each-property")[0]
		if r.Outcome != "passed" {
			return "it does not pass"
		}
		return strings.Join(r.Warnings, "\n")
	}
	seven, nine := 7, 9
	drops := depotContract(func(d *depot) simulate.Function { return process(namedOf[limitedProps]{d}) })
	drops.Properties = limitedProps{Room: "hall", Size: 10, Limit: &seven}
	drops.InPlace = limitedProps{Room: "hall", Size: 60, Limit: &nine}
	drops.Replacing, drops.Refused = nil, nil
	if got := warnings(drops); !strings.Contains(got, "State shows the same when Limit alone has changed") || strings.Contains(got, "Size") {
		t.Errorf("a handler that drops Limit: %q", got)
	}
	if got := warnings(depotContract(rightHandlers["named"])); got != "" {
		t.Errorf("one that drops nothing: %q", got)
	}
}
