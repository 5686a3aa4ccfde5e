package mailbox

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfntest"
)

func TestMailbox(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) { cfntest.Explore(t, contract) }

var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		f := &fake{boxes: map[string]box{}}
		return cfntest.Service{
			Function: func() cfntest.Function { return New(f) },
			State:    f.state,
			List:     f.names,
		}
	},
	ResourceType: "Custom::Mailbox",
	Properties:   map[string]any{"Owner": "ada", "Quota": 100},
	InPlace:      map[string]any{"Owner": "ada", "Quota": 200},
	Replacing:    map[string]any{"Owner": "grace", "Quota": 100},
	Refused:      map[string]any{"Owner": "ada", "Quota": -1},
}
