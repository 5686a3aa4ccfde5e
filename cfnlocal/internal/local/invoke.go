package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
)

// An Invocation is one event for a handler without a stack.
type Invocation struct {
	Event   []byte // as CloudFormation sends it; its ResponseURL is replaced
	Command []string
	Env     map[string]string
	Timeout time.Duration
	Watcher Watcher
}

// ErrEvent is the error for an event that does not identify a request.
var ErrEvent = errors.New("the event is not one of CloudFormation's")

// Invoke gives an event to a handler once, lets it invoke itself, and returns the
// last answer that it PUT, or nil if there was none.
func Invoke(ctx context.Context, i Invocation) (body []byte, err error) {
	// The event says which request it is.
	var event map[string]json.RawMessage
	if err := json.Unmarshal(i.Event, &event); err != nil || event == nil {
		return nil, fmt.Errorf("%w: it is no JSON object", ErrEvent)
	}
	var to bucket.Request
	for _, f := range []struct {
		name  string
		field *string
	}{{"StackId", &to.StackID}, {"LogicalResourceId", &to.LogicalID}, {"RequestId", &to.RequestID}} {
		if err := json.Unmarshal(event[f.name], f.field); err != nil || *f.field == "" {
			return nil, fmt.Errorf("%w: it has no %s", ErrEvent, f.name)
		}
	}

	// The answer comes to a bucket of its own.
	w := &serialWatcher{to: i.Watcher}
	b, err := bucket.Start(bucket.Config{Refused: func(r bucket.Refusal) { w.refused(r, "") }})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	event["ResponseURL"], _ = json.Marshal(b.Sign(to)) // a string always can be
	payload, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}

	// The handler is called, and may invoke itself.
	l := newLambda(ctx, host.Config{ResponseHost: b.Origin()}, w) // without CloudFormation's API: there is no stack
	defer l.Close()
	const arn = "arn:aws:lambda:us-east-1:123456789012:function:handler"
	if err := l.Add(host.Function{ARN: arn, Command: i.Command, Env: i.Env, Timeout: i.Timeout}); err != nil {
		return nil, err
	}
	if _, err := l.Call(ctx, arn, payload); err != nil {
		return nil, err
	}
	if err := l.Wait(ctx); err != nil {
		return nil, err
	}
	if bodies := b.Bodies(to); len(bodies) > 0 {
		body = bodies[len(bodies)-1]
	}
	return body, nil
}
