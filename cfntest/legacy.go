package cfntest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/response"
)

// Legacy returns a [Function] whose program was written with aws-lambda-go/cfn, for tests in which
// a new program takes over the things of an old one:
//
//	program := cfntest.Legacy(before.Handle)
//	stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return program }})
//	stack.Deploy(template)
//	program = cfnresource.New(&after.Mailboxes{API: fake})
//
// It answers as cfn.LambdaWrap(handler) does, but not to S3. Event is cfn.Event, or any other type
// that an event can be decoded into.
func Legacy[Event any](handler func(context.Context, Event) (physicalID string, data map[string]any, err error)) Function {
	return legacy[Event](handler)
}

type legacy[Event any] func(context.Context, Event) (string, map[string]any, error)

func (handler legacy[Event]) Invoke(ctx context.Context, payload []byte) (_ []byte, err error) {
	var event Event
	var asked struct {
		answercheck.Request
		ResponseURL string
	}
	if err := errors.Join(json.Unmarshal(payload, &event), json.Unmarshal(payload, &asked)); err != nil {
		return nil, err
	}
	url, err := response.ParseURL(asked.ResponseURL)
	bucket, ok := hook.Sender(ctx)
	if err != nil || !ok {
		return nil, errors.Join(err, errors.New("cfntest.Legacy is for the tools of cfntest: in main, use cfn.LambdaWrap"))
	}

	// Until the handler has returned, the answer is that of a panic, which ends the process.
	answer := legacyAnswer{
		Status: "FAILED", Reason: "Function panicked, see log stream for details",
		RequestID: asked.RequestID, LogicalResourceID: asked.LogicalResourceID, StackID: asked.StackID,
		PhysicalResourceID: asked.PhysicalResourceID,
	}
	if asked.RequestType == "Create" {
		answer.PhysicalResourceID = asked.RequestID
	}
	defer func() {
		body, bad := json.Marshal(answer)
		if bad == nil {
			bad = bucket.Send(ctx, url, body)
		}
		err = errors.Join(err, bad)
	}()
	id, data, failed := handler(ctx, event)

	answer.Status, answer.Reason, answer.Data = "SUCCESS", "", data
	answer.PhysicalResourceID = cmp.Or(id, answer.PhysicalResourceID)
	if failed != nil {
		answer.Status, answer.Reason = "FAILED", failed.Error()
	}
	return nil, nil
}

type legacyAnswer struct {
	Status             string
	Reason             string         `json:",omitempty"`
	RequestID          string         `json:"RequestId"`
	LogicalResourceID  string         `json:"LogicalResourceId"`
	StackID            string         `json:"StackId"`
	PhysicalResourceID string         `json:"PhysicalResourceId"`
	Data               map[string]any `json:",omitempty"`
}
