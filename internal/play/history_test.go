package play

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func TestHistoriesAreWrittenAsTheyAreRead(t *testing.T) {
	for line, want := range map[string]history{
		"v0": {{What: original}},
		"v0 v1/cancelled v2 delete": {
			{What: original}, {What: inPlace, Variant: cancelled}, {What: replacing}, {What: deletesStack},
		},
		"v0/kept rollback":           {{What: original, Variant: rollbackDisabled}, {What: rollsBack}},
		"v0 refused!die-after@1":     {{What: original}, {What: refused, Fault: &plannedFault{Kind: fault.DieAfter, Request: 1}}},
		"v0 v2/sibling-fails!late@2": {{What: original}, {What: replacing, Variant: siblingFails, Fault: &plannedFault{Kind: fault.Late, Request: 2}}},
		"v0/native gone again/old-unreadable delete/unreadable": {
			{What: original, Variant: native}, {What: removed}, {What: again, Variant: oldUnreadable}, {What: deletesStack, Variant: unreadable},
		},
		"v0 +v0[Room=other] v1/kept+out!held-at-step:2@1": {
			{What: original}, {Beside: "v0[Room=other]"}, {What: inPlace, Variant: rollbackDisabled, Beside: takesOut, Fault: &plannedFault{Kind: fault.HeldAtStep, Step: 2, Request: 1}},
		},
		"slowly +Custom::Key v0+out+v0[Tags.a+b=empty] out+out": {
			{What: slowly}, {Beside: "Custom::Key"}, {What: original, Beside: "out+v0[Tags.a+b=empty]"}, {What: takesOut, Beside: takesOut},
		},
		"namesakes!die-at-step:1@1 v0": {{What: namesakes, Fault: &plannedFault{Kind: fault.DieAtStep, Step: 1, Request: 1}}, {What: original}},
		"v0 2y v1":                     {{What: original}, {What: "2y"}, {What: inPlace}},
		"warm-2 v0!late@1 v1!late@2":   {{What: warmPair}, {What: original, Fault: &plannedFault{fault.Late, 0, 1}}, {What: inPlace, Fault: &plannedFault{fault.Late, 0, 2}}},
		"warm crowd v0 out v0":         {{What: warm}, {What: crowd}, {What: original}, {What: takesOut}, {What: original}},
		"v0 v0[Rules.0.Port=zero]/kept!late@1": {
			{What: original}, {What: "v0[Rules.0.Port=zero]", Variant: rollbackDisabled, Fault: &plannedFault{Kind: fault.Late, Request: 1}},
		},
		"v0!hang-at-step:12@3 v1": {{What: original, Fault: &plannedFault{Kind: fault.HangAtStep, Step: 12, Request: 3}}, {What: inPlace}},
	} {
		got, err := parseHistory(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(operation{}, plannedFault{})); diff != "" {
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
		"v9":                        `character 1: there is no operation "v9": use one of v0, v1, v2, refused, not-updatable, again, out, rollback, delete, gone, twin, namesakes, occupied, other-deletes, use, use-1001, 2h, 30d, 2y, 50y, crowd, crowd-1001, warm, warm-2, before, foreign-id, native-id, long-name, slowly, same-ids`,
		"v0 v1 deploy":              `character 7: there is no operation "deploy"`,
		"v0  v9":                    "character 5:",
		"v0[Name]":                  `character 3: "[Name]" is no change of a property`,
		"v0 v1[Name=empty":          `character 6: "[Name=empty" is no change`,
		"v9[Name=empty]":            `character 1: there is no operation "v9[Name=empty]"`,
		"delete[Name=empty]":        `character 1: there is no operation`,
		"v0/lost":                   `character 4: there is no variant "lost": use one of sibling-fails, cancelled, kept, unreadable, old-unreadable, native`,
		"v0 again/native":           "character 9: again takes no variant native",
		"v0 delete/cancelled":       "character 10: delete takes no variant cancelled",
		"v0 v1!":                    `character 7: there is no fault ""`,
		"v0 v1!explode@1":           `character 7: there is no fault "explode": use one of redeliver,`,
		"v0 v1!late":                "character 11: the fault does not say which of the operation's requests it meets",
		"v0 v1!late@":               `character 12: "" is not the number of a request`,
		"v0 v1!late@0":              `character 12: "0" is not the number of a request`,
		"v0 v1!late@-1":             `"-1" is not the number`,
		"v0 v1!late@01":             `"01" is not the number`,
		"v0 v1!late@99999999999999": "is not the number",
		"v0 v1!late:2@1":            "character 11: the kinds die-at-step, fail-at-step, hang-at-step, throttle-at-step, held-at-step, refuse-from-step need a Step",
		"v0 v1!fail-at-step@1":      "character 19: the kinds die-at-step",
		"v0 v1!fail-at-step:x@1":    `character 20: "x" is not the number of a Step`,
		"warm":                      "has no operation",
		"v0 warm v1":                "character 4: put warm before all operations",
		"v0 use!late@1":             "character 7: use takes no fault",
		"v0 2h!late@1":              "character 6: 2h takes no fault",
		"crowd!late@1 v0":           "character 6: crowd takes no fault",
		"crowd/cancelled v0":        "crowd takes no variant",
		"out/cancelled":             "out takes no variant",
		"v0 +":                      `character 5: another resource cannot get ""`,
		"v0 +v1+v9":                 `character 5: another resource cannot get "v9": use v0, v1, v2, out, or a type of the Contract's Others`,
		"v0+v0+v0+v0":               "character 4: there are 2 other resources at most",
		"v0 delete+v0":              "character 10: delete deploys no template",
		"v0 +v0!late@1":             "character 7: an operation that is about the other resources alone takes no fault",
		"v0!cancel-while-running@1": `there is no fault "cancel-while-running"`,
	} {
		_, err := parseHistory(line)
		if err == nil {
			t.Errorf("%q is no error", line)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n\t%v\nwant it to say\n\t%s", line, err, want)
		}
	}
}

func FuzzHistory(f *testing.F) {
	for _, line := range []string{"v0 v2/sibling-fails!die-at-step:3@2 delete", "v0/kept rollback", "refused!late@1", "v0!!@:", "v0+v1+out!late@1 +v0[a+b=empty]", "v0/ v1!late@@1"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		h, err := parseHistory(line)
		if err != nil {
			if !strings.Contains(err.Error(), "the history") {
				t.Errorf("the error does not say what it is about: %v", err)
			}
			return
		}
		again, err := parseHistory(h.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", line, h, err)
		}
		if diff := cmp.Diff(h, again, cmp.AllowUnexported(operation{}, plannedFault{})); diff != "" {
			t.Errorf("%q is written as %q, which is another one:\n%s", line, h, diff)
		}
	})
}

// A history goes on with what CloudFormation accepts in the stack's status, and with
// nothing that would change nothing.
func TestOnlyWhatCloudFormationAcceptsComesNext(t *testing.T) {
	all := func(string, string) bool { return true }
	for _, test := range []struct {
		line, status, version, limit, want string
	}{
		{"", "", "", "", "v0, v0/sibling-fails, v0/cancelled, v0/kept, refused"},
		{"v0", "CREATE_COMPLETE", original, "", "v1, v1/sibling-fails, v1/cancelled, v1/kept, v2, v2/sibling-fails, v2/cancelled, refused, delete"},
		{"v0/kept", "CREATE_FAILED", "", "", "rollback, v0, v1, delete"},
		{"v0/cancelled", "ROLLBACK_COMPLETE", "", "", "delete"},
		{"v0 delete", "DELETE_COMPLETE", "", "", "v0"},
		{"v0 v2/cancelled", "UPDATE_ROLLBACK_COMPLETE", original, limitNames(false)[0], ""},
	} {
		h := parsed(t, test.line)
		var got []string
		for _, next := range extended([]*playedHistory{{History: h, Reached: situation{Status: lifecycle.StackStatus(test.status), Version: test.version}, Limit: test.limit}}, all) {
			got = append(got, strings.TrimPrefix(strings.TrimPrefix(next.String(), test.line), " "))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("after %q comes\n\t%s\nwant\n\t%s", test.line, got, test.want)
		}
	}
}

// A fault at a Step comes at each, and one of a chain only where there can be one.
func TestFaultsComeWhereTheyCan(t *testing.T) {
	played := &playedHistory{History: parsed(t, "v0"), Requests: []faultPoints{{Steps: 2}, {Steps: 1}}}
	var got []string
	for _, h := range withFaults([]*playedHistory{played}, []fault.Kind{fault.DieAfter, fault.DieAtStep}) {
		got = append(got, h.String())
	}
	const want = "v0!die-after@1, v0!die-at-step:1@1, v0!die-at-step:2@1, v0!die-after@2, v0!die-at-step:1@2"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got\n\t%s\nwant\n\t%s", got, want)
	}
	for _, k := range exploredFaults {
		if none := withFaults([]*playedHistory{{History: parsed(t, "v0"), Requests: []faultPoints{{}}}}, []fault.Kind{k}); simulate.InChain(k) && len(none) > 0 {
			t.Errorf("%s comes where nothing waits", k)
		}
	}
}

func parsed(t *testing.T, line string) history {
	t.Helper()
	if line == "" {
		return nil
	}
	h, err := parseHistory(line)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What follows a history that met a limit is not played, and what follows others is
// played once for each situation.
func TestASituationIsGoneOnFromOnce(t *testing.T) {
	box := func(state any) situation {
		return situation{Status: "CREATE_COMPLETE", Version: original, Sent: map[string]any{"Size": "1"}, Named: true, State: state}
	}
	full, left, tried := box([]string{"a"}), box(nil), box(nil)
	left.Others, tried.Gone = []any{"x"}, 1
	all := []*playedHistory{
		{Reached: box(nil)}, {Reached: full}, {Reached: box(nil), Limit: limitNames(false)[0]}, {Reached: box([]string{"a"})},
		{Reached: left}, {Reached: tried}, {Reached: box(nil)},
	}
	var s situations
	first, again := s.split(all[:3])
	if len(first) != 2 || len(again) != 0 {
		t.Errorf("of the first three, %d lead to something new and %d do not", len(first), len(again))
	}
	first, again = s.split(all[3:])
	if len(first) != 2 || first[0] != all[4] || first[1] != all[5] || len(again) != 2 || again[0] != all[3] || again[1] != all[6] {
		t.Errorf("of the others, %d lead to something new and %d do not", len(first), len(again))
	}
}
