package stackphase_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A telling client registers a secret in one call, which then fails with it.
type telling struct{ in string }

func (c telling) tell(ctx context.Context, call string) error {
	if call != c.in {
		return nil
	}
	cfnresource.Secret(ctx, "hunter2hunter2")
	return errors.New("it says hunter2hunter2")
}

func (c telling) DescribeStacks(ctx context.Context, _ *cloudformation.DescribeStacksInput, _ ...func(*cloudformation.Options)) (*cloudformation.DescribeStacksOutput, error) {
	return &cloudformation.DescribeStacksOutput{Stacks: []types.Stack{{StackStatus: types.StackStatusUpdateInProgress}}}, c.tell(ctx, "stackphase.Client.DescribeStacks")
}

func (c telling) DescribeStackResource(ctx context.Context, _ *cloudformation.DescribeStackResourceInput, _ ...func(*cloudformation.Options)) (*cloudformation.DescribeStackResourceOutput, error) {
	return &cloudformation.DescribeStackResourceOutput{}, c.tell(ctx, "stackphase.Client.DescribeStackResource")
}

// asking asks for the phase of its Delete.
type asking struct{ calls }

func (asking) Delete(ctx context.Context, req *cfnresource.DeleteRequest[nothing]) error {
	req.Phase(ctx)
	return nil
}

// A client's calls have the event's context: what they register with it is redacted.
func TestSecretWorksInAClient(t *testing.T) {
	clients := map[string]telling{}
	for _, call := range []string{"stackphase.Client.DescribeStacks", "stackphase.Client.DescribeStackResource"} {
		clients[call] = telling{call}
	}
	testrun.EveryPlace(t, clients, []string{"."})
	for call, client := range clients {
		var log bytes.Buffer
		d := cfnresource.New(&asking{}, stackphase.Option(client), func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		cfntest.Invoke(t, d, cfntest.DeleteEvent("id", nothing{}))
		if strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "it says ***") {
			t.Errorf("%s: the log is\n%s", call, &log)
		}
	}
}
