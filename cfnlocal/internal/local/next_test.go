package local

import (
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// What failed last is what is to be corrected: a rollback that failed hides why it began, and one that succeeded does not. What
// failed in an earlier operation is over.
func TestCauseOf(t *testing.T) {
	began := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	row := func(status, why string) engine.Event {
		return engine.Event{StackId: "shop", LogicalResourceId: "Thing", ResourceType: "Custom::Thing", ResourceStatus: status, ResourceStatusReason: why, Timestamp: began}
	}
	stack := func(status string) engine.Event {
		return engine.Event{StackId: "shop", PhysicalResourceId: "shop", ResourceType: engine.StackType, ResourceStatus: status, Timestamp: began}
	}
	earlier := row("CREATE_FAILED", engine.ProviderModified)
	earlier.Timestamp = began.Add(-time.Second)
	const refused = `dial tcp [::1]:8085: connect: connection refused`
	silent := Cause{Silent: "[::1]:8085"}
	for name, test := range map[string]struct {
		events []engine.Event
		want   Cause
	}{
		"nothing listens":                     {[]engine.Event{stack("CREATE_IN_PROGRESS"), row("CREATE_FAILED", refused)}, silent},
		"nothing listens, by Node's words":    {[]engine.Event{row("CREATE_FAILED", "connect ECONNREFUSED 127.0.0.1:80")}, Cause{Silent: "127.0.0.1:80"}},
		"elsewhere nothing listens":           {[]engine.Event{row("CREATE_FAILED", "dial tcp 192.0.2.1:443: connect: connection refused")}, Cause{}},
		"a service refuses":                   {[]engine.Event{row("CREATE_FAILED", "127.0.0.1:80 refused the name")}, Cause{}},
		"others are cancelled":                {[]engine.Event{row("CREATE_FAILED", refused), row("CREATE_FAILED", "Resource creation cancelled")}, silent},
		"another function":                    {[]engine.Event{row("UPDATE_FAILED", engine.ProviderModified)}, Cause{NewToken: true}},
		"a rollback succeeds":                 {[]engine.Event{row("CREATE_FAILED", refused), stack("ROLLBACK_IN_PROGRESS"), row("DELETE_COMPLETE", "")}, silent},
		"a rollback fails for another reason": {[]engine.Event{row("CREATE_FAILED", refused), stack("ROLLBACK_IN_PROGRESS"), row("DELETE_FAILED", "no")}, Cause{}},
		"an earlier operation failed":         {[]engine.Event{earlier}, Cause{}},
	} {
		s := &engine.Stack{ID: "shop", Name: "shop", Events: test.events}
		if got := CauseOf(s, began); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
