package history

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A history goes on with what CloudFormation accepts in the stack's status, and with
// nothing that would change nothing.
func TestOnlyWhatCloudFormationAcceptsComesNext(t *testing.T) {
	all := func(string, string) bool { return true }
	for _, test := range []struct {
		line, status, version, limit, want string
	}{
		{"", "", "", "", "v0, v0/sibling-fails, v0/cancelled, v0/kept, refused"},
		{"v0", "CREATE_COMPLETE", Original, "", "v1, v1/sibling-fails, v1/cancelled, v1/kept, v2, v2/sibling-fails, v2/cancelled, refused, delete"},
		{"v0/kept", "CREATE_FAILED", "", "", "rollback, v0, v1, delete"},
		{"v0/cancelled", "ROLLBACK_COMPLETE", "", "", "delete"},
		{"v0 delete", "DELETE_COMPLETE", "", "", "v0"},
		{"v0 v2/cancelled", "UPDATE_ROLLBACK_COMPLETE", Original, Limits(false)[0], ""},
	} {
		h := parsed(t, test.line)
		var got []string
		for _, next := range Extended([]*Played{{History: h, Situation: Situation{Status: test.status, Version: test.version}, Limit: test.limit}}, all) {
			got = append(got, strings.TrimPrefix(strings.TrimPrefix(next.String(), test.line), " "))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("after %q comes\n\t%s\nwant\n\t%s", test.line, got, test.want)
		}
	}
}

// A fault at a Step comes at each, and one of a chain only where there can be one.
func TestFaultsComeWhereTheyCan(t *testing.T) {
	played := &Played{History: parsed(t, "v0"), Requests: []FaultPoints{{Steps: 2}, {Steps: 1}}}
	var got []string
	for _, h := range WithFaults([]*Played{played}, []simulate.FaultKind{simulate.DieAfter, simulate.DieAtStep}) {
		got = append(got, h.String())
	}
	const want = "v0!die-after@1, v0!die-at-step:1@1, v0!die-at-step:2@1, v0!die-after@2, v0!die-at-step:1@2"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got\n\t%s\nwant\n\t%s", got, want)
	}
	for _, k := range Faults {
		if none := WithFaults([]*Played{{History: parsed(t, "v0"), Requests: []FaultPoints{{}}}}, []simulate.FaultKind{k}); k.InChain() && len(none) > 0 {
			t.Errorf("%s comes where nothing waits", k)
		}
	}
}

func parsed(t *testing.T, line string) History {
	t.Helper()
	if line == "" {
		return nil
	}
	h, err := Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
