package cfnresource

import (
	"context"
	"encoding/json"
	"testing"

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
