package selfinvoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/awsenv"
)

// Client is what is called of a *lambda.Client.
type Client interface {
	Invoke(ctx context.Context, in *lambda.InvokeInput, optFns ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
}

// FromEnvironment makes a Dispatcher continue by invoking its own function, with what Lambda gives
// it in its environment: AWS_REGION and the credentials of its role, and AWS_ENDPOINT_URL_LAMBDA or
// AWS_ENDPOINT_URL where one is set. It reads nothing else: no profiles, no files. The client is
// made when it is first needed. Pass stackphase.FromEnvironment too: without a phase,
// [cfnresource.Dispatcher.Err] reports an error.
func FromEnvironment(o *cfnresource.Options) {
	client := sync.OnceValue(func() Client {
		return lambda.New(lambda.Options{
			Region: awsenv.Region(), BaseEndpoint: awsenv.Endpoint("LAMBDA"), Credentials: awsenv.Credentials("selfinvoke.Option with a client of your own"),
		})
	})
	o.Continue = func(ctx context.Context, payload []byte) error { return invoke(ctx, client(), payload) }
}

// Option makes a Dispatcher continue by invoking its own function through client.
func Option(client Client) func(*cfnresource.Options) {
	return func(o *cfnresource.Options) {
		o.Continue = func(ctx context.Context, payload []byte) error { return invoke(ctx, client, payload) }
	}
}

// invoke sends payload to the function that runs in ctx, by the ARN that it was invoked with: the
// qualifier leads to the same code and the same on-failure destination.
func invoke(ctx context.Context, client Client, payload []byte) error {
	lc, ok := lambdacontext.FromContext(ctx)
	if !ok || lc.InvokedFunctionArn == "" {
		return cfnresource.Errorf(cfnresource.CodeInternalFailure, "there is no function to invoke: the context is not from Lambda")
	}
	var tries tries
	out, err := client.Invoke(ctx, &lambda.InvokeInput{
		FunctionName:   aws.String(lc.InvokedFunctionArn),
		InvocationType: types.InvocationTypeEvent,
		Payload:        payload,
	}, tries.few)
	if err != nil {
		return cause(err, tries.unsure)
	}
	if out.StatusCode != http.StatusAccepted {
		return fmt.Errorf("Lambda answered an asynchronous Invoke with %d", out.StatusCode)
	}
	return nil
}

// tries are those of one Invoke.
type tries struct {
	aws.Retryer
	unsure bool // one of them may have been accepted, whatever the last one says
}

// few leaves time for an answer. What is sent twice is delivered twice, which is allowed.
func (t *tries) few(o *lambda.Options) {
	t.Retryer = retry.AddWithMaxAttempts(o.Retryer, 2)
	o.Retryer = t
}

// IsErrorRetryable is asked after each try that failed.
func (t *tries) IsErrorRetryable(err error) bool {
	_, refused := refusal(err)
	t.unsure = t.unsure || !refused
	return t.Retryer.IsErrorRetryable(err)
}

// codes are the codes of statuses with which Lambda refuses.
var codes = map[int]cfnresource.Code{
	http.StatusForbidden:       cfnresource.CodeAccessDenied,
	http.StatusNotFound:        cfnresource.CodeNotFound,
	http.StatusTooManyRequests: cfnresource.CodeThrottling,
}

// refusal returns the code of an error with which Lambda refused, and so has surely
// not accepted the payload.
func refusal(err error) (code cfnresource.Code, ok bool) {
	resp, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if _, api := errors.AsType[smithy.APIError](err); !ok || !api {
		return "", false
	}
	status := resp.HTTPStatusCode()
	return cmp.Or(codes[status], cfnresource.CodeInvalidRequest), status >= 400 && status < 500
}

// cause returns what is to be told of an error. It has a code if Lambda refused every try.
func cause(err error, unsure bool) error {
	reason := awsenv.Cause("Invoke", err)
	if code, refused := refusal(err); refused && !unsure {
		return &cfnresource.Error{Code: code, Err: reason}
	}
	return reason
}
