package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// client is that of the SDK, given the endpoint and nothing else that is ours.
func (b *testServer) client() *cloudformation.Client {
	return cloudformation.New(cloudformation.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(b.origin),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
}

// status is what DescribeStacks says of a stack.
func status(t *testing.T, c *cloudformation.Client, name string) types.StackStatus {
	t.Helper()
	out, err := c.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: &name})
	if err != nil || len(out.Stacks) != 1 {
		t.Fatalf("%v, %+v", err, out)
	}
	return out.Stacks[0].StackStatus
}

// TestSDKReads: every member that the API requires, and what was deployed, as the SDK decodes it.
func TestSDKReads(t *testing.T) {
	b := startServer(t)
	c := b.client()
	s := b.mustDeploy("CREATE_COMPLETE", "shop", oneResource, "Token", "open sesame")
	b.mustDeploy("UPDATE_COMPLETE", "shop", oneResource, "Id", "two", "Token", "open sesame")
	name := aws.String("shop")

	// The stack.
	stacks, err := c.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: name})
	if err != nil || len(stacks.Stacks) != 1 {
		t.Fatalf("%v, %+v", err, stacks)
	}
	d := stacks.Stacks[0]
	got := fmt.Sprint(*d.StackName, " ", *d.StackId, " ", d.StackStatus, " ", *d.Description, " ", !d.CreationTime.IsZero(), d.LastUpdatedTime.After(*d.CreationTime), d.DeletionTime == nil,
		" ", *d.Outputs[0].OutputKey, "=", *d.Outputs[0].OutputValue, " ", *d.Outputs[0].Description, " ", *d.DisableRollback, " ", *d.EnableTerminationProtection, " ", d.DriftInformation.StackDriftStatus)
	if want := "shop " + s.ID + " UPDATE_COMPLETE one thing true true true Id=two its physical ID false false NOT_CHECKED"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	parameters := map[string]string{}
	for _, p := range d.Parameters {
		parameters[*p.ParameterKey] = *p.ParameterValue
	}
	if diff := cmp.Diff(map[string]string{"Id": "two", "Fail": "", "Gate": "", "At": "", "Links": "", "Token": "****"}, parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}

	// Its resources and its template.
	one, err := c.DescribeStackResource(t.Context(), &cloudformation.DescribeStackResourceInput{StackName: &s.ID, LogicalResourceId: aws.String("Thing")})
	if err != nil {
		t.Fatal(err)
	}
	r := one.StackResourceDetail
	if got := fmt.Sprintln(*r.StackId == s.ID, *r.StackName, *r.LogicalResourceId, *r.PhysicalResourceId, *r.ResourceType, r.ResourceStatus, *r.Metadata, r.LastUpdatedTimestamp.IsZero()); got != "true shop Thing two Custom::Thing UPDATE_COMPLETE {} false\n" {
		t.Error(got)
	}
	all, err := c.DescribeStackResources(t.Context(), &cloudformation.DescribeStackResourcesInput{PhysicalResourceId: aws.String("two")})
	if err != nil || len(all.StackResources) != 2 || *all.StackResources[0].StackName != "shop" || all.StackResources[0].Timestamp.IsZero() {
		t.Errorf("%v, %+v", err, all)
	}
	template, err := c.GetTemplate(t.Context(), &cloudformation.GetTemplateInput{StackName: name, TemplateStage: types.TemplateStageOriginal})
	if err != nil || *template.TemplateBody != oneResource || len(template.StagesAvailable) != 2 {
		t.Errorf("%v, %+v", err, template)
	}

	// Its events.
	events, err := c.DescribeStackEvents(t.Context(), &cloudformation.DescribeStackEventsInput{StackName: name})
	if err != nil || events.NextToken != nil || events.StackEvents[0].ResourceStatus != "UPDATE_COMPLETE" || *events.StackEvents[0].LogicalResourceId != "shop" {
		t.Fatalf("%v, %+v", err, events)
	}
	for i, e := range events.StackEvents {
		if *e.StackId != s.ID || *e.EventId == "" || *e.StackName != "shop" || e.Timestamp.IsZero() || *e.OperationId == "" || e.PhysicalResourceId == nil ||
			i > 0 && e.Timestamp.After(*events.StackEvents[i-1].Timestamp) {
			t.Errorf("row %d: %+v", i, e)
		}
		if strings.Contains(aws.ToString(e.ResourceProperties), "open sesame") {
			t.Errorf("row %d shows a secret", i)
		}
	}
}

// TestSDKErrors: as the SDK takes them apart.
func TestSDKErrors(t *testing.T) {
	b := startServer(t)
	c := b.client()
	_, unknown := c.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: aws.String("other")})
	_, write := c.DeleteStack(t.Context(), &cloudformation.DeleteStackInput{StackName: aws.String("other")})
	_, token := c.ListStacks(t.Context(), &cloudformation.ListStacksInput{NextToken: aws.String("x")})
	for _, test := range []struct {
		err           error
		code, message string
	}{
		{unknown, "ValidationError", "Stack with id other does not exist"},
		{write, "InvalidAction", "Could not find operation DeleteStack for version 2010-05-15. "},
		{token, "ValidationError", "x is not a valid NextToken"},
	} {
		e, ok := errors.AsType[smithy.APIError](test.err)
		if !ok || e.ErrorCode() != test.code || !strings.HasPrefix(e.ErrorMessage(), test.message) {
			t.Errorf("%v, want %s: %s", test.err, test.code, test.message)
		}
	}
}

// waiterDelay is the delay between two requests of a waiter.
const waiterDelay = 20 * time.Millisecond

const waiterTimeout = time.Minute // far more than any of this takes

// TestSDKWaiters: each is at work while the stack is in motion, in another
// goroutine as in another process, and ends as it does with AWS.
func TestSDKWaiters(t *testing.T) {
	b := startServer(t)
	c := b.client()
	name := &cloudformation.DescribeStacksInput{StackName: aws.String("shop")}

	// A creation.
	exists := cloudformation.NewStackExistsWaiter(c, func(o *cloudformation.StackExistsWaiterOptions) { o.MinDelay, o.MaxDelay = waiterDelay, waiterDelay })
	existed := make(chan error, 1)
	go func() { existed <- exists.Wait(t.Context(), name, waiterTimeout) }()
	g := newGate(t)
	rest := startOperation(t, g, func() (*engine.Stack, error) { return b.deploy(t.Context(), "shop", oneResource, "Gate", g.url) })
	if got := status(t, c, "shop"); got != "CREATE_IN_PROGRESS" {
		t.Errorf("in motion: %s", got)
	}
	if err := <-existed; err != nil {
		t.Errorf("StackExists: %v", err)
	}
	created := make(chan error, 1)
	go func() {
		w := cloudformation.NewStackCreateCompleteWaiter(c, func(o *cloudformation.StackCreateCompleteWaiterOptions) {
			o.MinDelay, o.MaxDelay = waiterDelay, waiterDelay
		})
		created <- w.Wait(t.Context(), name, waiterTimeout)
	}()
	s := rest()
	if err := <-created; err != nil {
		t.Errorf("StackCreateComplete: %v", err)
	}

	// An update.
	g = newGate(t)
	rest = startOperation(t, g, func() (*engine.Stack, error) {
		return b.deploy(t.Context(), "shop", oneResource, "Gate", g.url, "Id", "two")
	})
	updated := make(chan error, 1)
	go func() {
		w := cloudformation.NewStackUpdateCompleteWaiter(c, func(o *cloudformation.StackUpdateCompleteWaiterOptions) {
			o.MinDelay, o.MaxDelay = waiterDelay, waiterDelay
		})
		updated <- w.Wait(t.Context(), name, waiterTimeout)
	}()
	rest()
	if err := <-updated; err != nil {
		t.Errorf("StackUpdateComplete: %v", err)
	}

	// A rollback, which has ended.
	b.mustDeploy("UPDATE_ROLLBACK_COMPLETE", "shop", oneResource, "Id", "two", "Fail", "Update")
	rolled := cloudformation.NewStackRollbackCompleteWaiter(c, func(o *cloudformation.StackRollbackCompleteWaiterOptions) {
		o.MinDelay, o.MaxDelay = waiterDelay, waiterDelay
	})
	if err := rolled.Wait(t.Context(), name, waiterTimeout); err != nil {
		t.Errorf("StackRollbackComplete: %v", err)
	}
	failed := cloudformation.NewStackUpdateCompleteWaiter(c, func(o *cloudformation.StackUpdateCompleteWaiterOptions) {
		o.MinDelay, o.MaxDelay = waiterDelay, waiterDelay
	})
	if err := failed.Wait(t.Context(), name, waiterTimeout); err == nil || !strings.Contains(err.Error(), "Failure") {
		t.Errorf("StackUpdateComplete after a rollback: %v", err)
	}

	// A deletion.
	g = newGate(t)
	b.mustDeploy("UPDATE_COMPLETE", "shop", oneResource, "Id", "two", "Gate", g.url, "At", "Delete")
	rest = startOperation(t, g, func() (*engine.Stack, error) { return b.Delete(t.Context(), "shop", nil, false, local.Settings{}) })
	deleted := make(chan error, 2)
	for _, id := range []string{"shop", s.ID} {
		go func() {
			w := cloudformation.NewStackDeleteCompleteWaiter(c, func(o *cloudformation.StackDeleteCompleteWaiterOptions) {
				o.MinDelay, o.MaxDelay = waiterDelay, waiterDelay
			})
			deleted <- w.Wait(t.Context(), &cloudformation.DescribeStacksInput{StackName: &id}, waiterTimeout)
		}()
	}
	rest()
	if err := errors.Join(<-deleted, <-deleted); err != nil {
		t.Errorf("StackDeleteComplete: %v", err)
	}
	if got := status(t, c, s.ID); got != "DELETE_COMPLETE" {
		t.Errorf("by its ARN: %s", got)
	}
}

// TestSDKPaginators: they see each row and each stack once.
func TestSDKPaginators(t *testing.T) {
	t.Parallel()
	// Events.
	b := startServer(t)
	c := b.client()
	var body strings.Builder
	body.WriteString("Resources:\n")
	for i := range 80 {
		fmt.Fprintf(&body, "  Topic%d: {Type: AWS::SNS::Topic}\n", i)
	}
	s := b.mustDeploy("CREATE_COMPLETE", "large", body.String())
	seen, pages := map[string]bool{}, 0
	for p := cloudformation.NewDescribeStackEventsPaginator(c, &cloudformation.DescribeStackEventsInput{StackName: aws.String("large")}); p.HasMorePages(); pages++ {
		page, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.StackEvents {
			if seen[*e.EventId] {
				t.Errorf("%s twice", *e.EventId)
			}
			seen[*e.EventId] = true
		}
	}
	if len(seen) != len(s.Events) || pages != 3 {
		t.Errorf("%d rows on %d pages, want %d on 3", len(seen), pages, len(s.Events))
	}

	// Stacks, one of them deleted.
	const more = 104
	for i := range more {
		b.mustDeploy("CREATE_COMPLETE", fmt.Sprintf("small-%d", i), "Resources: {Topic: {Type: AWS::SNS::Topic}}\n")
	}
	if _, err := b.Delete(t.Context(), "small-7", nil, false, local.Settings{}); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for p := cloudformation.NewDescribeStacksPaginator(c, &cloudformation.DescribeStacksInput{}); p.HasMorePages(); {
		page, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		count["DescribeStacks"] += len(page.Stacks)
	}
	for p := cloudformation.NewListStacksPaginator(c, &cloudformation.ListStacksInput{}); p.HasMorePages(); {
		page, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		count["ListStacks"] += len(page.StackSummaries)
	}
	for p := cloudformation.NewListStacksPaginator(c, &cloudformation.ListStacksInput{StackStatusFilter: []types.StackStatus{types.StackStatusDeleteComplete}}); p.HasMorePages(); {
		page, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		count["deleted"] += len(page.StackSummaries)
	}
	if diff := cmp.Diff(map[string]int{"DescribeStacks": more, "ListStacks": more + 1, "deleted": 1}, count); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
