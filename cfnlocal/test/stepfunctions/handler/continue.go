package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// stepFunctions makes a Dispatcher continue by the state machine that
// STATE_MACHINE names, which invokes the function again.
func stepFunctions(o *cfnresource.Options) {
	open := sync.OnceValues(func() (*sfn.Client, error) {
		cfg, err := config.LoadDefaultConfig(context.Background())
		return sfn.NewFromConfig(cfg), err
	})
	o.Continue = func(ctx context.Context, payload []byte) error {
		client, err := open()
		if err != nil {
			return cfnresource.Errorf(cfnresource.CodeInternalFailure, "the AWS SDK's configuration: %w", err)
		}
		return start(ctx, client, os.Getenv("STATE_MACHINE"), payload)
	}
}

// start starts an execution that invokes this function with payload, by the ARN
// that it was invoked with: a version or alias stays the same.
func start(ctx context.Context, client *sfn.Client, machine string, payload []byte) error {
	lc, ok := lambdacontext.FromContext(ctx)
	if !ok {
		return cfnresource.Errorf(cfnresource.CodeInternalFailure, "there is no function to invoke: the context is none of Lambda's")
	}
	input, err := json.Marshal(struct {
		FunctionName string
		Payload      json.RawMessage
	}{lc.InvokedFunctionArn, payload})
	if err != nil {
		return err
	}
	text := string(input)
	_, err = client.StartExecution(ctx, &sfn.StartExecutionInput{StateMachineArn: &machine, Input: &text}, fewRetries)
	return cause(err)
}

// cause returns what is to be told of an error. Its message may quote the input, which holds the
// signed URL. It has a code if Step Functions refused, and so has surely not started anything.
func cause(err error) error {
	var said smithy.APIError
	if !errors.As(err, &said) {
		return err
	}
	told := fmt.Errorf("StartExecution: %s", said.ErrorCode())
	var reply *smithyhttp.ResponseError
	if errors.As(err, &reply) && reply.HTTPStatusCode() < 500 {
		return cfnresource.HTTPStatus(reply.HTTPStatusCode(), told)
	}
	return told
}

// fewRetries leaves time for an answer. What is started twice is delivered twice, which is allowed.
func fewRetries(o *sfn.Options) { o.RetryMaxAttempts = 2 }
