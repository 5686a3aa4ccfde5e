package play_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A history in which others come does harm only if one of them, or the resource, is touched: each line is played with a
// right handler, and with a wrong one that only such a line shows.
func TestWhatOthersDoIsPlayedAgain(t *testing.T) {
	for _, test := range []struct{ wrong, right, line, says string }{
		{"findsByPrefix", "found", "+v0 v0", "box-1, the resource's physical ID, is another resource's"},
		{"deletesByOwnerPrefix", "named", "v0 +v0 out", "which is another resource's, was deleted"},
		{"takesOverStranger", "chosen", "v0 +v2 v1 +out", ""},
		{"inOneDocument", "inOneVersionedDocument", "v0+v0!held-at-step:3@1", "which is another resource's, was changed"},
		{"findsByStackName", "findsByStackID", "v0 namesakes", "The Create for another stack succeeds, but box-1 is not that stack's"},
		{"findsByNamePrefix", "found", "namesakes v0", "the resource's physical ID, is another stack's"},
		{"adoptsUnmarked", "chosen", "namesakes!die-at-step:4@1 v0", "is another stack's, whose own Create met die-at-step:4@1"},
		{"takesOverStranger", "chosen", "occupied v0", "the resource's physical ID, is somebody else's"},
		{"deletesByPrefix", "named", "v0 occupied delete", "which is somebody else's, was deleted"},
		{"deletesByTag", "found", "v0 out v0 other-deletes", "The Delete of box-1 changes or removes box-2"},
		{"remembersRequests", "named", "warm same-ids v0 v1 v0 v1", "The resource is not what a Create of v1 makes"},
		{"remembersRequests", "named", "warm v0 v1 v0 v1", ""},
	} {
		if text, _ := play.Replayed(t, wrongNamed(test.wrong).contract(), test.line); (text == "") != (test.says == "") || !strings.Contains(text, test.says) {
			t.Errorf("%s, %q: it does not say %q:\n%s", test.wrong, test.line, test.says, text)
		}
		if text, _ := play.Replayed(t, depotContract(rightHandlers[test.right]), test.line); text != "" {
			t.Errorf("%s, %q: %s", test.right, test.line, text)
		}
	}
}

// What another resource cannot get is said before anything is played.
func TestAHistoryWithWhatTheContractLacksIsRefused(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(named{d}) })
	for _, line := range []string{"v0 +Custom::Key", "v0+v0[Nothing=other]"} {
		if err := play.HistoryError(c, line); err == nil || !strings.Contains(err.Error(), "which the Contract does not have") {
			t.Errorf("%q: %v", line, err)
		}
	}
}
