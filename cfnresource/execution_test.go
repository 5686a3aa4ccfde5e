package cfnresource

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// A broken resource panics where no code of the user's runs.
type brokenResource struct{ resource }

type keeping struct{ body []byte }

func (k *keeping) Send(_ context.Context, _ response.URL, body []byte) error {
	k.body = body
	return nil
}

// A bug of this package's is answered too, with an ID that CloudFormation takes.
func TestPanicOfThePackageIsAnswered(t *testing.T) {
	d := NewDispatcher()
	d.resources[anyType] = brokenResource{}
	var to keeping
	_, err := d.Invoke(hook.WithSender(t.Context(), &to), []byte(`{"RequestType": "Create", "ResponseURL": "https://bucket.example/?X-Amz-Signature=5ec2e7",
		"StackId": "arn:aws:cloudformation:us-west-2:123456789012:stack/shop/1", "RequestId": "r1", "LogicalResourceId": "Topic", "ResourceType": "Custom::Topic"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Status, PhysicalResourceId string }
	if err := json.Unmarshal(to.body, &got); err != nil || got.Status != "FAILED" || got.PhysicalResourceId != physicalid.NotCreated {
		t.Errorf("%s, %v: want FAILED %s", to.body, err, physicalid.NotCreated)
	}
}

// Each request to delete a resource has a number of its own, but one that is made a single time
// shares it with the next: the token of a request that is tried again must not change.
func TestDeletionsAreNumbered(t *testing.T) {
	var tr tries
	for i, tt := range []struct {
		id   string
		once bool
		want int
	}{
		{"a", true, 0}, {"a", true, 0}, {"a", false, 0}, {"a", false, 1}, {"b", false, 0}, {"a", true, 2},
	} {
		if got := tr.deletion(tt.id, tt.once); got != tt.want {
			t.Errorf("%d: the deletion of %s has the number %d, want %d", i, tt.id, got, tt.want)
		}
	}
}

// Only the call that failed last says when to try again.
func TestRetryAfterIsOfTheLastCall(t *testing.T) {
	var tr tries
	if got := tr.retryAfter(); got != 0 {
		t.Errorf("%s before any call", got)
	}
	tr.failure = &failure{retryAfter: time.Second}
	if got := tr.retryAfter(); got != time.Second {
		t.Errorf("%s, want a second", got)
	}
}

// A result without a cause has no code: the rules themselves refused the event.
func TestCodeOfAResult(t *testing.T) {
	var r result
	if code := r.code(); code != "" {
		t.Errorf("the code is %q", code)
	}
	r.cause = failed(CodeThrottling, "slow down")
	if code := r.code(); code != CodeThrottling {
		t.Errorf("the code is %q", code)
	}
}
