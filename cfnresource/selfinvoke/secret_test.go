package selfinvoke_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

// A telling client registers a secret, and fails with it.
type telling struct{}

func (telling) Invoke(ctx context.Context, _ *lambda.InvokeInput, _ ...func(*lambda.Options)) (*lambda.InvokeOutput, error) {
	cfnresource.Secret(ctx, "hunter2hunter2")
	return nil, errors.New("it says hunter2hunter2")
}

// nowhere is where answers go.
type nowhere struct{}

func (nowhere) Send(context.Context, response.URL, []byte) error { return nil }

// The client's call has the event's context: what it registers with it is redacted.
func TestSecretWorksInAClient(t *testing.T) {
	testrun.EveryPlace(t, map[string]selfinvoke.Client{"selfinvoke.Client.Invoke": telling{}}, []string{"."})
	synctest.Test(t, func(t *testing.T) {
		h := cfnresource.Action(func(ctx context.Context, _ *cfnresource.UpdateRequest[nothing]) (nothing, error) {
			return nothing{}, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, nil })
		})
		d := cfnresource.New(h, selfinvoke.Option(telling{}), func(o *cfnresource.Options) {
			o.Logger, o.Sender = slog.New(slog.DiscardHandler), nowhere{}
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				return lifecycle.PhaseCreating, nil
			}
		})
		ctx, cancel := context.WithTimeout(invocation(t), 5*time.Minute)
		defer cancel()
		url := "https://cloudformation-custom-resource-response-useast1.s3.us-east-1.amazonaws.com/k?X-Amz-Algorithm=a&X-Amz-Date=" +
			time.Now().UTC().Format("20060102T150405Z") + "&X-Amz-Expires=7200&X-Amz-Signature=s"
		_, err := d.Invoke(ctx, []byte(`{"RequestType":"Create","ResponseURL":"`+url+`","RequestId":"r","LogicalResourceId":"L","ResourceType":"Custom::T",`+
			`"StackId":"arn:aws:cloudformation:us-east-1:123456789012:stack/shop/6f1e2a70-52a7-11ee-9d3a-0e4c1f6a2b1d","ResourceProperties":{}}`))
		if told := fmt.Sprint(err); strings.Contains(told, "hunter2") || !strings.Contains(told, "it says ***") {
			t.Errorf("the invocation fails with %s", told)
		}
	})
}
