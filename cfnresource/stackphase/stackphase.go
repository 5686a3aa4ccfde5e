package stackphase

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/awsenv"
	"github.com/cfnresource/sdk-go/internal/whysent"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Client is what a lookup calls of a *cloudformation.Client.
type Client interface {
	DescribeStacks(ctx context.Context, in *cloudformation.DescribeStacksInput, optFns ...func(*cloudformation.Options)) (*cloudformation.DescribeStacksOutput, error)
	DescribeStackResource(ctx context.Context, in *cloudformation.DescribeStackResourceInput, optFns ...func(*cloudformation.Options)) (*cloudformation.DescribeStackResourceOutput, error)
}

// Option makes a Dispatcher ask client for phases: pass it to cfnresource.New
// or cfnresource.NewDispatcher.
func Option(client Client) func(*cfnresource.Options) {
	return func(o *cfnresource.Options) { o.Phase = Lookup(client) }
}

// Lookup returns a function for cfnresource.Options.Phase. It is safe for
// concurrent use if client is.
//
// It returns an error where CloudFormation did not answer within ctx, refused to, or gave an answer
// that has no phase. The error holds no property and no URL.
func Lookup(client Client) func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
	return func(ctx context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{
			StackName: aws.String(string(op.StackID)), // the ARN also names a stack that is deleted
		}, fewRetries)
		if err != nil {
			return lifecycle.PhaseUnknown, awsenv.Cause("DescribeStacks", err)
		}
		if len(out.Stacks) != 1 {
			return lifecycle.PhaseUnknown, fmt.Errorf("DescribeStacks returned %d stacks for one ARN", len(out.Stacks))
		}
		request := whysent.Request{Type: lifecycle.RequestType(op.Name), PhysicalID: op.PhysicalID, CreatedID: op.CreatedID, SentAt: op.SentAt}
		stack := whysent.Stack{Status: lifecycle.StackStatus(out.Stacks[0].StackStatus), Updated: aws.ToTime(out.Stacks[0].LastUpdatedTime)}
		return whysent.Of(request, stack, func() (whysent.Resource, error) { return describe(ctx, client, op) })
	}
}

// describe returns the resource that the stack has under the logical ID.
func describe(ctx context.Context, client Client, op *cfnresource.Operation) (r whysent.Resource, err error) {
	out, err := client.DescribeStackResource(ctx, &cloudformation.DescribeStackResourceInput{
		StackName:         aws.String(string(op.StackID)),
		LogicalResourceId: aws.String(op.LogicalID),
	}, fewRetries)
	if isNoResource(err) {
		return r, fmt.Errorf("%w: %w", whysent.ErrNoResource, awsenv.Cause("DescribeStackResource", err))
	}
	if err != nil {
		return r, awsenv.Cause("DescribeStackResource", err)
	}
	detail := out.StackResourceDetail
	if detail == nil {
		return r, errors.New("DescribeStackResource returned no resource")
	}
	return whysent.Resource{PhysicalID: aws.ToString(detail.PhysicalResourceId), Status: lifecycle.ResourceStatus(detail.ResourceStatus)}, nil
}

// isNoResource reports whether CloudFormation answered that the stack has no such
// resource. It has no code of its own for that.
func isNoResource(err error) bool {
	refused, ok := errors.AsType[smithy.APIError](err)
	return ok && refused.ErrorCode() == "ValidationError" && noResource.MatchString(refused.ErrorMessage())
}

var noResource = regexp.MustCompile(`^Resource .* does not exist for stack `)

// fewRetries keeps a call within the two seconds that the dispatcher gives.
func fewRetries(o *cloudformation.Options) { o.RetryMaxAttempts = 2 }

// FromEnvironment makes a Dispatcher ask for phases with what Lambda gives a function in its
// environment: AWS_REGION and the credentials of its role, and AWS_ENDPOINT_URL_CLOUDFORMATION or
// AWS_ENDPOINT_URL where one is set. It reads nothing else: no profiles, no files. The client is
// made when a phase is first asked for, so that most cold starts do not pay for it.
func FromEnvironment(o *cfnresource.Options) {
	lookup := sync.OnceValue(func() func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
		return Lookup(environmentClient())
	})
	o.Phase = func(ctx context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		return lookup()(ctx, op)
	}
}

func environmentClient() *cloudformation.Client {
	return cloudformation.New(cloudformation.Options{
		Region: awsenv.Region(), BaseEndpoint: awsenv.Endpoint("CLOUDFORMATION"), Credentials: awsenv.Credentials("stackphase.Option with a client of your own"),
	})
}
