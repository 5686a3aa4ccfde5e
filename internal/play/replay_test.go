package play_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// What the Contract has no properties for is not deployed without any: the
// handler would be blamed for it.
func TestReplayNeedsThePropertiesOfItsHistory(t *testing.T) {
	c := depotContract(rightHandlers["named"])
	c.InPlace, c.Replacing, c.Refused = nil, nil, nil
	for line, want := range map[string]string{"v0 v1": "no InPlace", "v0 v2/sibling-fails": "no Replacing", "refused": "no Refused"} {
		if err := play.HistoryError(c, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if err := play.HistoryError(c, "v0 rollback delete"); err != nil {
		t.Error(err)
	}
}

// A line that was found under a reading is replayed under it.
func TestReplayAssumesWhatTheLineSays(t *testing.T) {
	const lost = "v0/kept!lose-answer@1 v0"
	for line, harm := range map[string]bool{lost: false, "preserved-create=create-first: " + lost: true, "preserved-create: " + lost: true} {
		if found, _ := play.Replayed(t, namedBoxes, line); (found != "") != harm {
			t.Errorf("%s: found %q", line, found)
		}
	}
}

// What a stack is shown to use is not deleted, whichever way CloudFormation goes: the
// cleanup's Delete fails.
func TestACreateThatIsTriedAgainFirst(t *testing.T) {
	for _, process := range []func(d *depot) simulate.Function{
		func(d *depot) simulate.Function { return continuing(named{d}) },
		func(d *depot) simulate.Function { return continuing(found{d}) },
	} {
		c := boxContract(process)
		withLongTimeout(&c)
		for _, line := range []string{"v0/kept!lose-answer@1 v0", "v0/kept!error-after@1 v0"} {
			if found, _ := play.Replayed(t, c, "preserved-create: "+line); !strings.HasPrefix(found, "a Delete that fails") {
				t.Errorf("%s: found %q", line, found)
			}
			if found, _ := play.Replayed(t, c, line); found != "" {
				t.Errorf("as assumed, %s: found %q", line, found)
			}
		}
	}
}
