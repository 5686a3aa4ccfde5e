package stackphase

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Client is what a lookup needs of a *cloudformation.Client.
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
// It returns an error where CloudFormation did not answer within ctx, refused
// to, or answered something that has no phase. The error holds no property and
// no URL.
func Lookup(client Client) func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
	return func(ctx context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{
			StackName: aws.String(string(op.StackID)), // the ARN also names a stack that is deleted
		}, fewRetries)
		if err != nil {
			return lifecycle.PhaseUnknown, cause("DescribeStacks", err)
		}
		if len(out.Stacks) != 1 {
			return lifecycle.PhaseUnknown, fmt.Errorf("DescribeStacks returned %d stacks for one ARN", len(out.Stacks))
		}
		stack := out.Stacks[0]
		status := lifecycle.StackStatus(stack.StackStatus)
		phase := lifecycle.PhaseOf(status, lifecycle.Request(op.Name), true)
		switch {
		case phase == lifecycle.PhaseUnknown:
			return phase, fmt.Errorf("the stack's status is %q, in which a %s has no known reason", status, op.Name)
		case forward(status) && begunAfter(stack.LastUpdatedTime, op.Birth):
			return lifecycle.PhaseNotAwaited, nil
		case op.Name == string(lifecycle.Delete) && inUpdate(status):
			return phaseOfDelete(ctx, client, op, status)
		case op.Made != "":
			return phaseOfMaker(ctx, client, op, phase)
		}
		return phase, nil
	}
}

// forward reports whether the status is one of a stack that goes forward: its
// requests belong to the operation that began last.
func forward(s lifecycle.StackStatus) bool {
	switch s {
	case lifecycle.StackCreateInProgress, lifecycle.StackUpdateInProgress, lifecycle.StackUpdateCompleteCleanupInProgress:
		return true
	default:
		return false
	}
}

// begunAfter reports whether an operation that began at a time, or nil, began
// after the birth of an event, which is known to the second.
func begunAfter(began *time.Time, birth time.Time) bool {
	return began != nil && !birth.IsZero() && began.After(birth.Add(time.Second))
}

// inUpdate reports whether the status is one in which an update, or its
// rollback, deletes some resources and keeps others.
func inUpdate(s lifecycle.StackStatus) bool {
	switch s {
	case lifecycle.StackUpdateInProgress, lifecycle.StackUpdateCompleteCleanupInProgress, lifecycle.StackUpdateRollbackCompleteCleanupInProgress:
		return true
	default:
		return false
	}
}

// phaseOfDelete looks at the resource that the stack now has under the logical
// ID. What is being deleted is what the Delete is about. What a cleanup
// replaced has left its place to another physical ID. Anything else is the
// stack's own: the Delete is an earlier operation's, and no longer awaited.
func phaseOfDelete(ctx context.Context, client Client, op *cfnresource.Operation, status lifecycle.StackStatus) (lifecycle.Phase, error) {
	resource, err := describe(ctx, client, op)
	if err != nil {
		return lifecycle.PhaseUnknown, err
	}
	replaced := aws.ToString(resource.PhysicalResourceId) != op.PhysicalID
	switch {
	case strings.HasPrefix(string(resource.ResourceStatus), "DELETE_"):
		return lifecycle.PhaseOf(status, lifecycle.Delete, false), nil
	case replaced && status != lifecycle.StackUpdateInProgress:
		return lifecycle.PhaseOf(status, lifecycle.Delete, true), nil
	default:
		return lifecycle.PhaseNotAwaited, nil
	}
}

// phaseOfMaker looks whether what a request has made is the stack's by now:
// unless it is being deleted, it is in use, or is kept. A second delivery of a
// request has made what the first one was answered for.
func phaseOfMaker(ctx context.Context, client Client, op *cfnresource.Operation, phase lifecycle.Phase) (lifecycle.Phase, error) {
	resource, err := describe(ctx, client, op)
	if err != nil {
		return lifecycle.PhaseUnknown, err
	}
	if aws.ToString(resource.PhysicalResourceId) != op.Made {
		return phase, nil
	}
	switch resource.ResourceStatus {
	case types.ResourceStatusCreateInProgress, // it is not known yet; the ID is that of a resource before it
		types.ResourceStatusDeleteInProgress, types.ResourceStatusDeleteFailed, types.ResourceStatusDeleteComplete:
		return phase, nil
	default:
		return lifecycle.PhaseNotAwaited, nil
	}
}

// describe returns the resource that the stack has under the logical ID.
func describe(ctx context.Context, client Client, op *cfnresource.Operation) (*types.StackResourceDetail, error) {
	out, err := client.DescribeStackResource(ctx, &cloudformation.DescribeStackResourceInput{
		StackName:         aws.String(string(op.StackID)),
		LogicalResourceId: aws.String(op.LogicalID),
	}, fewRetries)
	if err != nil {
		return nil, cause("DescribeStackResource", err)
	}
	if out.StackResourceDetail == nil {
		return nil, errors.New("DescribeStackResource returned no resource")
	}
	return out.StackResourceDetail, nil
}

// fewRetries keeps a call within the two seconds that the dispatcher gives.
func fewRetries(o *cloudformation.Options) { o.RetryMaxAttempts = 2 }

// cause returns what is to be logged of an error: CloudFormation's own code and
// message, or why it was not reached.
func cause(operation string, err error) error {
	if refused, ok := errors.AsType[smithy.APIError](err); ok {
		return fmt.Errorf("%s: %s: %s", operation, refused.ErrorCode(), refused.ErrorMessage())
	}
	if unsent, ok := errors.AsType[*url.Error](err); ok {
		err = unsent.Err
	}
	return fmt.Errorf("%s: %w", operation, err)
}
