package stackphase_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

const stackID = "arn:aws:cloudformation:us-west-2:123456789012:stack/shop/2e5ae0f0"

// A fake is a stack with one resource.
type fake struct {
	status         types.StackStatus
	physicalID     string
	resourceStatus types.ResourceStatus
	updated        *time.Time
	err            error // of DescribeStacks
	resourceErr    error

	asked []string
}

func (f *fake) DescribeStacks(_ context.Context, in *cloudformation.DescribeStacksInput, _ ...func(*cloudformation.Options)) (*cloudformation.DescribeStacksOutput, error) {
	f.asked = append(f.asked, "DescribeStacks "+aws.ToString(in.StackName))
	if f.err != nil {
		return nil, f.err
	}
	out := &cloudformation.DescribeStacksOutput{}
	if f.status != "" {
		out.Stacks = []types.Stack{{StackStatus: f.status, LastUpdatedTime: f.updated}}
	}
	return out, nil
}

func (f *fake) DescribeStackResource(_ context.Context, in *cloudformation.DescribeStackResourceInput, _ ...func(*cloudformation.Options)) (*cloudformation.DescribeStackResourceOutput, error) {
	f.asked = append(f.asked, "DescribeStackResource "+aws.ToString(in.StackName)+" "+aws.ToString(in.LogicalResourceId))
	if f.resourceErr != nil {
		return nil, f.resourceErr
	}
	out := &cloudformation.DescribeStackResourceOutput{}
	if f.resourceStatus != "" {
		out.StackResourceDetail = &types.StackResourceDetail{PhysicalResourceId: &f.physicalID, ResourceStatus: f.resourceStatus}
	}
	return out, nil
}

func operation(name, physicalID string) *cfnresource.Operation {
	return &cfnresource.Operation{
		Request: cfnresource.Request{StackID: stackID, LogicalID: "Topic"},
		Name:    name, PhysicalID: physicalID,
	}
}

// Every status of CloudFormation's client, with every request, has the phase that lifecycle says.
func TestLookupFollowsLifecycle(t *testing.T) {
	for _, status := range types.StackStatus("").Values() {
		for _, r := range []lifecycle.RequestType{lifecycle.Create, lifecycle.Update, lifecycle.Delete} {
			f := &fake{status: status, physicalID: "a", resourceStatus: types.ResourceStatusDeleteInProgress}
			got, err := stackphase.Lookup(f)(t.Context(), operation(string(r), "a"))
			want := lifecycle.PhaseOf(lifecycle.StackStatus(status), r, false)
			if got != want || got == lifecycle.PhaseUnknown || err != nil {
				t.Errorf("a %s in %s: %q, %v; want %q", r, status, got, err, want)
			}
			if f.asked[0] != "DescribeStacks "+stackID {
				t.Errorf("asked %q: the ARN names also a stack that is deleted", f.asked)
			}
		}
	}
}

// Why a request came is decided in internal/whysent, by what is known of the event and by what CloudFormation shows: each row
// needs another part of that.
func TestLookupPassesOnWhatIsKnown(t *testing.T) {
	sent := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	later := sent.Add(time.Minute)
	const cleanup = types.StackStatusUpdateCompleteCleanupInProgress
	for _, tt := range []struct {
		name, request, created string
		fake                   fake
		want                   lifecycle.Phase
	}{
		{"the IDs of the event and of the stack", "Delete", "", fake{status: cleanup, physicalID: "a", resourceStatus: types.ResourceStatusUpdateComplete}, lifecycle.PhaseNotAwaited},
		{"which differ", "Delete", "", fake{status: cleanup, physicalID: "b", resourceStatus: types.ResourceStatusUpdateComplete}, lifecycle.PhaseReplacementCleanup},
		{"the resource's status", "Delete", "", fake{status: cleanup, physicalID: "a", resourceStatus: types.ResourceStatusDeleteInProgress}, lifecycle.PhaseRemoval},
		{"what was made", "Create", "b", fake{status: types.StackStatusRollbackInProgress, physicalID: "b", resourceStatus: types.ResourceStatusCreateComplete}, lifecycle.PhaseNotAwaited},
		{"when the operation began, and the event was sent", "Update", "", fake{status: types.StackStatusUpdateInProgress, updated: &later}, lifecycle.PhaseNotAwaited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			op := operation(tt.request, "a")
			op.CreatedID, op.SentAt = tt.created, sent
			got, err := stackphase.Lookup(&tt.fake)(t.Context(), op)
			if got != tt.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
			if asked := tt.fake.asked[1:]; tt.request != "Update" && !slices.Equal(asked, []string{"DescribeStackResource " + stackID + " Topic"}) {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// That the stack has no such resource is an answer for what made something: nobody
// waits for it. Of a Delete it says nothing.
func TestNoSuchResource(t *testing.T) {
	no := &smithy.GenericAPIError{Code: "ValidationError", Message: "Resource Topic does not exist for stack shop"}
	for _, tt := range []struct {
		name, request string
		status        types.StackStatus
		err           error
		want          lifecycle.Phase
	}{
		{"an Update that goes on", "Update", types.StackStatusUpdateInProgress, no, lifecycle.PhaseGivenUp},
		{"a Create in a rollback", "Create", types.StackStatusUpdateRollbackInProgress, no, lifecycle.PhaseGivenUp},
		{"a Delete", "Delete", types.StackStatusUpdateCompleteCleanupInProgress, no, lifecycle.PhaseUnknown},
		{"another error of that code", "Update", types.StackStatusUpdateInProgress,
			&smithy.GenericAPIError{Code: "ValidationError", Message: "Stack with id shop does not exist"}, lifecycle.PhaseUnknown},
		{"another code", "Update", types.StackStatusUpdateInProgress, &smithy.GenericAPIError{Code: "AccessDenied", Message: no.Message}, lifecycle.PhaseUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{status: tt.status, resourceErr: tt.err}
			op := operation(tt.request, "a")
			op.CreatedID = "b"
			if got, err := stackphase.Lookup(f)(t.Context(), op); got != tt.want || (err == nil) != (tt.want == lifecycle.PhaseGivenUp) {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// A late invocation of a chain whose resource the stack has no longer makes nothing
// anew: it takes back what the chain made.
func TestLateLinkMakesNothingAnew(t *testing.T) {
	f := &fake{status: types.StackStatusUpdateInProgress, resourceErr: &smithy.GenericAPIError{Code: "ValidationError", Message: "Resource Topic does not exist for stack shop"}}
	h := &calls{}
	d := cfnresource.New(h, stackphase.Option(f), func(o *cfnresource.Options) {
		o.Logger = slog.New(slog.DiscardHandler)
		o.Continue = func(context.Context, []byte) error { return nil }
	})
	link := `{"cfnresource:continue":{"links":1,"created":"svc-1","began":"Updating"},` + strings.TrimPrefix(string(cfntest.CreateEvent(nothing{})), "{")
	var sent sender
	if _, err := d.Invoke(hook.WithSender(t.Context(), &sent), []byte(link)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(sent), `"FAILED"`) || !slices.Equal(*h, calls{"Delete svc-1"}) {
		t.Errorf("answered %s after %q", sent, *h)
	}
}

// sender keeps the last answer.
type sender []byte

func (s *sender) Send(_ context.Context, _ response.URL, body []byte) error {
	*s = body
	return nil
}

type nothing struct{}

// calls is a handler that keeps what it was called for.
type calls []string

func (c *calls) Create(context.Context, *cfnresource.CreateRequest[nothing]) (data nothing, err error) {
	*c = append(*c, "Create")
	return data, nil
}

func (c *calls) Update(_ context.Context, req *cfnresource.UpdateRequest[nothing]) (data nothing, err error) {
	*c = append(*c, "Update "+req.PhysicalID)
	return data, nil
}

func (c *calls) Delete(_ context.Context, req *cfnresource.DeleteRequest[nothing]) error {
	*c = append(*c, "Delete "+req.PhysicalID)
	return nil
}

func TestErrors(t *testing.T) {
	refused := &smithy.OperationError{ServiceID: "CloudFormation", OperationName: "DescribeStacks", Err: &smithy.GenericAPIError{Code: "AccessDenied", Message: "not authorized"}}
	unsent := &smithy.OperationError{Err: &url.Error{Op: "Post", URL: "https://example.com/?X-Amz-Signature=5ec2e7", Err: context.DeadlineExceeded}}
	const cleanup = types.StackStatusUpdateCompleteCleanupInProgress
	for _, tt := range []struct {
		name string
		fake fake
		want string
	}{
		{"refused", fake{err: refused}, "DescribeStacks: AccessDenied: not authorized"},
		{"not reached", fake{err: unsent}, "DescribeStacks: context deadline exceeded"},
		{"no stack", fake{}, "DescribeStacks returned 0 stacks for one ARN"},
		{"a new status", fake{status: "PAUSED"}, `the stack's status is "PAUSED", in which a Delete has no known reason`},
		{"the resource is refused", fake{status: cleanup, resourceErr: refused}, "DescribeStackResource: AccessDenied: not authorized"},
		{"no resource", fake{status: cleanup}, "DescribeStackResource returned no resource"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := stackphase.Lookup(&tt.fake)(t.Context(), operation("Delete", "a"))
			if got != lifecycle.PhaseUnknown || err == nil || err.Error() != tt.want {
				t.Errorf("%q, %v; want the error %q", got, err, tt.want)
			}
		})
	}
}

// The time that ran out is to be told from a refusal.
func TestErrorsWrapTheirCause(t *testing.T) {
	f := &fake{err: fmt.Errorf("operation error: %w", context.DeadlineExceeded)}
	_, err := stackphase.Lookup(f)(t.Context(), operation("Create", ""))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "DescribeStacks: ") {
		t.Errorf("%v", err)
	}
}

func TestOptionSetsPhase(t *testing.T) {
	var o cfnresource.Options
	stackphase.Option(&fake{status: types.StackStatusCreateInProgress})(&o)
	if got, err := o.Phase(t.Context(), operation("Create", "")); got != lifecycle.PhaseCreating || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
