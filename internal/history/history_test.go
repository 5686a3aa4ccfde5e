package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

func TestHistoriesAreWrittenAsTheyAreRead(t *testing.T) {
	for line, want := range map[string]History{
		"v0": {{What: Original}},
		"v0 v1/cancelled v2 delete": {
			{What: Original}, {What: InPlace, Variant: Cancelled}, {What: Replacing}, {What: Delete},
		},
		"v0/kept rollback":           {{What: Original, Variant: RollbackDisabled}, {What: Rollback}},
		"v0 refused!die-after@1":     {{What: Original}, {What: Refused, Fault: &Fault{Kind: simulate.DieAfter, Request: 1}}},
		"v0 v2/sibling-fails!late@2": {{What: Original}, {What: Replacing, Variant: SiblingFails, Fault: &Fault{Kind: simulate.Late, Request: 2}}},
		"v0!hang-at-step:12@3 v1":    {{What: Original, Fault: &Fault{Kind: simulate.HangAtStep, Step: 12, Request: 3}}, {What: InPlace}},
	} {
		got, err := Parse(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Operation{}, Fault{})); diff != "" {
			t.Errorf("%q was read as (-want +got):\n%s", line, diff)
		}
		if got.String() != line {
			t.Errorf("%q is written as %q", line, got)
		}
	}
}

// What is wrong with a line, and where.
func TestAnUnreadableHistoryIsToldWithItsPlace(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "has no operation",
		"  ":                        "has no operation",
		"v9":                        `character 1: there is no operation "v9": want one of v0, v1, v2, refused, rollback, delete`,
		"v0 v1 deploy":              `character 7: there is no operation "deploy"`,
		"v0  v9":                    "character 5:",
		"v0/lost":                   `character 4: there is no variant "lost": want one of sibling-fails, cancelled, kept`,
		"v0 delete/cancelled":       "character 10: delete takes no variant",
		"v0 v1!":                    `character 7: there is no fault ""`,
		"v0 v1!explode@1":           `character 7: there is no fault "explode": want one of redeliver,`,
		"v0 v1!late":                "character 11: the fault does not say which of the operation's requests it meets",
		"v0 v1!late@":               `character 12: "" is no number of a request`,
		"v0 v1!late@0":              `character 12: "0" is no number of a request`,
		"v0 v1!late@-1":             `"-1" is no number`,
		"v0 v1!late@01":             `"01" is no number`,
		"v0 v1!late@99999999999999": "is no number",
		"v0 v1!late:2@1":            "character 11: a Step, such as :2, belongs to the kinds die-at-step, fail-at-step, hang-at-step, refuse-from-step",
		"v0 v1!fail-at-step@1":      "character 19: a Step",
		"v0 v1!fail-at-step:x@1":    `character 20: "x" is no number of a Step`,
		"v0!late@1 v1!late@1":       "character 11: a second fault",
		"v0!cancel-while-running@1": `there is no fault "cancel-while-running"`,
	} {
		_, err := Parse(line)
		if err == nil {
			t.Errorf("%q is no error", line)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n\t%v\nwant it to say\n\t%s", line, err, want)
		}
	}
}

func FuzzHistory(f *testing.F) {
	for _, line := range []string{"v0 v2/sibling-fails!die-at-step:3@2 delete", "v0/kept rollback", "refused!late@1", "v0!!@:", "v0/ v1!late@@1"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		h, err := Parse(line)
		if err != nil {
			if !strings.Contains(err.Error(), "the history") {
				t.Errorf("the error does not say what it is about: %v", err)
			}
			return
		}
		again, err := Parse(h.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", line, h, err)
		}
		if diff := cmp.Diff(h, again, cmp.AllowUnexported(Operation{}, Fault{})); diff != "" {
			t.Errorf("%q is written as %q, which is another one:\n%s", line, h, diff)
		}
	})
}
