package play_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// What the Contract has no properties for is not deployed without any: the
// handler would be blamed for it.
func TestReplayNeedsThePropertiesOfItsHistory(t *testing.T) {
	c := noteContract
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
