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

func TestDeletesInAnUpdate(t *testing.T) {
	for _, tt := range []struct {
		name           string
		status         types.StackStatus
		physicalID     string // the stack's
		resourceStatus types.ResourceStatus
		want           lifecycle.Phase
	}{
		{"replaced", types.StackStatusUpdateCompleteCleanupInProgress, "b", types.ResourceStatusUpdateComplete, lifecycle.PhaseReplacementCleanup},
		{"removed", types.StackStatusUpdateCompleteCleanupInProgress, "a", types.ResourceStatusDeleteInProgress, lifecycle.PhaseRemoval},
		{"another try", types.StackStatusUpdateCompleteCleanupInProgress, "a", types.ResourceStatusDeleteFailed, lifecycle.PhaseRemoval},
		{"removed with what replaced it", types.StackStatusUpdateCompleteCleanupInProgress, "b", types.ResourceStatusDeleteInProgress, lifecycle.PhaseRemoval},
		{"the stack's own by now", types.StackStatusUpdateCompleteCleanupInProgress, "a", types.ResourceStatusUpdateComplete, lifecycle.PhaseNotAwaited},

		{"made by the failed update", types.StackStatusUpdateRollbackCompleteCleanupInProgress, "a", types.ResourceStatusDeleteInProgress, lifecycle.PhaseUpdateRollbackCleanup},
		{"a replacement that did not stay", types.StackStatusUpdateRollbackCompleteCleanupInProgress, "b", types.ResourceStatusUpdateComplete, lifecycle.PhaseUpdateRollbackCleanup},
		{"the stack's own after the rollback", types.StackStatusUpdateRollbackCompleteCleanupInProgress, "a", types.ResourceStatusUpdateComplete, lifecycle.PhaseNotAwaited},

		{"to be created again", types.StackStatusUpdateInProgress, "a", types.ResourceStatusDeleteInProgress, lifecycle.PhaseUpdating},
		{"an earlier cleanup's, before the replacement is undone", types.StackStatusUpdateInProgress, "b", types.ResourceStatusUpdateInProgress, lifecycle.PhaseNotAwaited},
		{"an earlier cleanup's, after it", types.StackStatusUpdateInProgress, "a", types.ResourceStatusUpdateComplete, lifecycle.PhaseNotAwaited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{status: tt.status, physicalID: tt.physicalID, resourceStatus: tt.resourceStatus}
			got, err := stackphase.Lookup(f)(t.Context(), operation("Delete", "a"))
			if got != tt.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
			if len(f.asked) != 2 || f.asked[1] != "DescribeStackResource "+stackID+" Topic" {
				t.Errorf("asked %q", f.asked)
			}
		})
	}
}

// What a request has made is not to be deleted again while the stack has it: a
// delivery of its event, or a later operation, made it the stack's.
func TestWhatWasMadeMayBeInUse(t *testing.T) {
	for _, tt := range []struct {
		name           string
		status         types.StackStatus
		physicalID     string // the stack's
		resourceStatus types.ResourceStatus
		want           lifecycle.Phase
	}{
		{"of another delivery, in use", types.StackStatusUpdateRollbackComplete, "a", types.ResourceStatusUpdateComplete, lifecycle.PhaseNotAwaited},
		{"in use in the rollback", types.StackStatusUpdateRollbackCompleteCleanupInProgress, "a", types.ResourceStatusUpdateComplete, lifecycle.PhaseNotAwaited},
		{"kept by its DeletionPolicy", types.StackStatusDeleteComplete, "a", types.ResourceStatusDeleteSkipped, lifecycle.PhaseNotAwaited},
		{"to be deleted by the rollback", types.StackStatusRollbackInProgress, "a", types.ResourceStatusCreateComplete, lifecycle.PhaseNotAwaited},
		{"being deleted", types.StackStatusRollbackInProgress, "a", types.ResourceStatusDeleteInProgress, lifecycle.PhaseGivenUp},
		{"not deleted", types.StackStatusRollbackFailed, "a", types.ResourceStatusDeleteFailed, lifecycle.PhaseGivenUp},
		{"deleted", types.StackStatusRollbackComplete, "a", types.ResourceStatusDeleteComplete, lifecycle.PhaseGivenUp},
		{"another one", types.StackStatusUpdateRollbackComplete, "b", types.ResourceStatusUpdateComplete, lifecycle.PhaseGivenUp},
		{"none yet", types.StackStatusUpdateRollbackComplete, "", types.ResourceStatusCreateFailed, lifecycle.PhaseGivenUp},
	} {
		for _, name := range []string{"Create", "Update"} {
			t.Run(tt.name+" of "+name, func(t *testing.T) {
				f := &fake{status: tt.status, physicalID: tt.physicalID, resourceStatus: tt.resourceStatus}
				op := operation(name, "")
				op.CreatedID = "a"
				got, err := stackphase.Lookup(f)(t.Context(), op)
				if got != tt.want || err != nil {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
			})
		}
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

// A replacement that was delivered twice has made what the stack has by now,
// also while the update goes on or is rolled back.
func TestWhatAReplacementMadeMayBeInUse(t *testing.T) {
	for _, status := range []types.StackStatus{types.StackStatusUpdateInProgress, types.StackStatusUpdateRollbackInProgress} {
		f := &fake{status: status, physicalID: "new", resourceStatus: types.ResourceStatusUpdateComplete}
		op := operation("Update", "old")
		op.CreatedID = "new"
		if got, err := stackphase.Lookup(f)(t.Context(), op); got != lifecycle.PhaseNotAwaited || err != nil {
			t.Errorf("%s: %q, %v; want NotAwaited", status, got, err)
		}
		op.CreatedID = "another"
		if got, err := stackphase.Lookup(f)(t.Context(), op); got == lifecycle.PhaseNotAwaited || err != nil {
			t.Errorf("%s, another thing: %q, %v; want it awaited", status, got, err)
		}
	}
}

// An operation that began after the event was sent is another one. The event's
// SentAt is in whole seconds, so it may be nearly a second later than it says.
func TestAnEventOfAnEarlierOperation(t *testing.T) {
	sent := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { u := sent.Add(d); return &u }
	const cleanup = types.StackStatusUpdateCompleteCleanupInProgress
	for _, tt := range []struct {
		name    string
		status  types.StackStatus
		request string
		updated *time.Time
		want    lifecycle.Phase
	}{
		{"of this operation", types.StackStatusUpdateInProgress, "Update", at(-time.Minute), lifecycle.PhaseUpdating},
		{"of the same operation, by two machines' clocks", types.StackStatusUpdateInProgress, "Update", at(5 * time.Second), lifecycle.PhaseUpdating},
		{"of an earlier one", types.StackStatusUpdateInProgress, "Update", at(5*time.Second + time.Millisecond), lifecycle.PhaseNotAwaited},
		{"a Create of an earlier one", types.StackStatusUpdateInProgress, "Create", at(time.Minute), lifecycle.PhaseNotAwaited},
		{"a Create from a change set", types.StackStatusCreateInProgress, "Create", at(-time.Second), lifecycle.PhaseCreating},
		{"a cleanup's", cleanup, "Delete", at(-time.Minute), lifecycle.PhaseReplacementCleanup},
		{"an earlier cleanup's", cleanup, "Delete", at(time.Minute), lifecycle.PhaseNotAwaited},
		{"in a stack that was never updated", types.StackStatusCreateInProgress, "Create", nil, lifecycle.PhaseCreating},

		// What the time is of a stack that rolls back is not known.
		{"in a rollback", types.StackStatusUpdateRollbackInProgress, "Update", at(time.Minute), lifecycle.PhaseUpdateRollback},
		{"in a deletion", types.StackStatusDeleteInProgress, "Delete", at(time.Minute), lifecycle.PhaseDeleting},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{status: tt.status, updated: tt.updated, physicalID: "b", resourceStatus: types.ResourceStatusUpdateComplete}
			op := operation(tt.request, "a")
			op.SentAt = sent
			if got, err := stackphase.Lookup(f)(t.Context(), op); got != tt.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
			if op.SentAt = (time.Time{}); tt.want == lifecycle.PhaseNotAwaited {
				if got, _ := stackphase.Lookup(f)(t.Context(), op); !got.Awaited() {
					t.Errorf("without SentAt: %q", got)
				}
			}
		})
	}
}

// The second question is asked only where its answer counts.
func TestOneQuestionIsEnoughElsewhere(t *testing.T) {
	for _, tt := range []struct {
		status types.StackStatus
		name   string
	}{
		{types.StackStatusUpdateCompleteCleanupInProgress, "Update"},
		{types.StackStatusUpdateInProgress, "Create"},
		{types.StackStatusDeleteInProgress, "Delete"},
		{types.StackStatusUpdateComplete, "Delete"},
		{types.StackStatusUpdateRollbackInProgress, "Update"},
	} {
		f := &fake{status: tt.status, resourceErr: errors.New("asked in vain")}
		if _, err := stackphase.Lookup(f)(t.Context(), operation(tt.name, "a")); err != nil || len(f.asked) != 1 {
			t.Errorf("a %s in %s: %v, asked %q", tt.name, tt.status, err, f.asked)
		}
	}
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
