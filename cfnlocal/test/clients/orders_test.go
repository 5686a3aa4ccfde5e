package clients

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// An orderServer is a home whose API takes orders.
type orderServer struct {
	*testServer
	key      api.Key
	operator *local.Operator
}

// startOrders serves a directory of stacks, until the test ends or stop is called.
func startOrders(t *testing.T, dir string) (s *orderServer, stop func()) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	operator, err := home.NewOperator(context.Background(), record.Substitutes{
		Commands: map[string]string{"Fn": "'" + program + "'"}, Env: map[string]string{handlerVariable: "yes"},
	}, func() local.Settings { return settings })
	if err != nil {
		t.Fatal(err)
	}
	key := api.NewKey()
	server, err := home.Serve("127.0.0.1:0", &api.Writer{Key: key, Operator: operator})
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		operator.Close()
		if err := errors.Join(server.Close(), home.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return &orderServer{&testServer{home, t, server.Origin()}, key, operator}, stop
}

func (s *orderServer) clientWith(key api.Key) *cloudformation.Client {
	return clientOf(s.origin, key)
}

func clientOf(origin string, key api.Key) *cloudformation.Client {
	return cloudformation.New(cloudformation.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(origin),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: key.ID, SecretAccessKey: key.Secret}, nil
		}),
	})
}

func parameters(pairs ...string) (all []types.Parameter) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, types.Parameter{ParameterKey: &pairs[i], ParameterValue: &pairs[i+1]})
	}
	return all
}

// await waits as long as a user would for a status.
func await(t *testing.T, c *cloudformation.Client, name, want string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		out, err := c.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: &name})
		if err == nil && string(out.Stacks[0].StackStatus) == want {
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	t.Fatalf("%s did not come to %s", name, want)
}

// An SDK's client creates, changes, cancels, rolls back, continues and deletes, and its
// waiters see it.
func TestSDKOrders(t *testing.T) {
	t.Parallel()
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c, name, body, ctx := s.clientWith(s.key), aws.String("shop"), aws.String(oneResource), t.Context()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const long = 2 * time.Minute

	created, err := c.CreateStack(ctx, &cloudformation.CreateStackInput{StackName: name, TemplateBody: body, Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("shop")}}})
	must(created, err)
	must(nil, cloudformation.NewStackCreateCompleteWaiter(c).Wait(ctx, &cloudformation.DescribeStacksInput{StackName: created.StackId}, long))
	out, err := c.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: name})
	must(out, err)
	if tags := out.Stacks[0].Tags; len(tags) != 1 || *tags[0].Key != "team" || *tags[0].Value != "shop" {
		t.Errorf("the stack has the tags %v", tags)
	}

	// Values that are not given are the template's own again, unless the client keeps them.
	must(c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two", "Token", "open")}))
	must(nil, cloudformation.NewStackUpdateCompleteWaiter(c).Wait(ctx, &cloudformation.DescribeStacksInput{StackName: name}, long))
	kept := append(parameters("Token", "shut"), types.Parameter{ParameterKey: aws.String("Id"), UsePreviousValue: aws.Bool(true)})
	must(c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: append(kept, parameters("Links", "0")...)}))
	await(t, c, "shop", "UPDATE_COMPLETE")
	if got := physicalID(t, c); got != "two" {
		t.Errorf("the physical ID is %s, want the one that was kept", got)
	}

	// What fails is rolled back.
	must(c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two", "Fail", "Update", "At", "Never")}))
	await(t, c, "shop", "UPDATE_ROLLBACK_COMPLETE")

	// It is kept with DisableRollback, and RollbackStack leads back.
	must(c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), DisableRollback: aws.Bool(true), Parameters: parameters("Id", "two", "Fail", "Update")}))
	await(t, c, "shop", "UPDATE_FAILED")
	must(c.RollbackStack(ctx, &cloudformation.RollbackStackInput{StackName: name}))
	await(t, c, "shop", "UPDATE_ROLLBACK_COMPLETE")

	// A rollback that fails goes on once the cause is mended, or without the resource.
	broken := filepath.Join(t.TempDir(), "broken")
	next := func(at string) *cloudformation.UpdateStackInput {
		return &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two", "Fail", broken, "At", at)}
	}
	must(c.UpdateStack(ctx, next("Never")))
	await(t, c, "shop", "UPDATE_COMPLETE")
	must(nil, os.WriteFile(broken, nil, 0o600))
	must(c.UpdateStack(ctx, next("Nowhere")))
	await(t, c, "shop", "UPDATE_ROLLBACK_FAILED")
	_, err = c.UpdateStack(ctx, next("Again"))
	refused(t, err, "ValidationError", "is in UPDATE_ROLLBACK_FAILED state and can not be updated.")
	_, err = c.ContinueUpdateRollback(ctx, &cloudformation.ContinueUpdateRollbackInput{StackName: name, ResourcesToSkip: []string{"Fn"}})
	refused(t, err, "ValidationError", "Only the resources failed during UpdateRollback are allowed to be skipped")
	must(c.ContinueUpdateRollback(ctx, &cloudformation.ContinueUpdateRollbackInput{StackName: name, ResourcesToSkip: []string{"Thing"}}))
	await(t, c, "shop", "UPDATE_ROLLBACK_COMPLETE")
	must(c.UpdateStack(ctx, next("Nowhere")))
	await(t, c, "shop", "UPDATE_ROLLBACK_FAILED")
	must(nil, os.Remove(broken))
	must(c.ContinueUpdateRollback(ctx, &cloudformation.ContinueUpdateRollbackInput{StackName: name}))
	must(nil, cloudformation.NewStackRollbackCompleteWaiter(c).Wait(ctx, &cloudformation.DescribeStacksInput{StackName: name}, long))

	// What is under way is cancelled.
	g := newGate(t)
	must(c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two", "Gate", g.url, "At", "Update")}))
	<-g.requests
	_, err = c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true)})
	refused(t, err, "ValidationError", "is in UPDATE_IN_PROGRESS state and can not be updated.")
	_, err = c.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: name})
	refused(t, err, "ValidationError", "Stack [shop] cannot be deleted while in status UPDATE_IN_PROGRESS")
	must(c.UpdateTerminationProtection(ctx, &cloudformation.UpdateTerminationProtectionInput{StackName: name, EnableTerminationProtection: aws.Bool(true)}))
	must(c.CancelUpdateStack(ctx, &cloudformation.CancelUpdateStackInput{StackName: name}))
	g.open()
	await(t, c, "shop", "UPDATE_ROLLBACK_COMPLETE")

	// What is protected, meanwhile it was updated, is not deleted; what is not there is.
	_, err = c.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: name})
	refused(t, err, "ValidationError", "Stack [shop] cannot be deleted while TerminationProtection is enabled")
	must(c.UpdateTerminationProtection(ctx, &cloudformation.UpdateTerminationProtectionInput{StackName: name, EnableTerminationProtection: aws.Bool(false)}))
	must(c.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: name}))
	must(nil, cloudformation.NewStackDeleteCompleteWaiter(c).Wait(ctx, &cloudformation.DescribeStacksInput{StackName: created.StackId}, long))
	must(c.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: created.StackId}))
	must(c.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: aws.String("nobody")}))
}

func physicalID(t *testing.T, c *cloudformation.Client) string {
	t.Helper()
	r, err := c.DescribeStackResource(t.Context(), &cloudformation.DescribeStackResourceInput{StackName: aws.String("shop"), LogicalResourceId: aws.String("Thing")})
	if err != nil {
		t.Fatal(err)
	}
	return *r.StackResourceDetail.PhysicalResourceId
}

// refused checks how an order was refused.
func refused(t *testing.T, err error, code, message string) {
	t.Helper()
	if e, ok := errors.AsType[smithy.APIError](err); !ok || e.ErrorCode() != code || !strings.Contains(e.ErrorMessage(), message) {
		t.Errorf("%v, want %s: %s", err, code, message)
	}
}

// Orders are refused in CloudFormation's words.
func TestSDKOrdersThatAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c, ctx := s.clientWith(s.key), t.Context()
	create := func(name, body string, change func(*cloudformation.CreateStackInput)) error {
		in := &cloudformation.CreateStackInput{StackName: &name, TemplateBody: &body}
		if change != nil {
			change(in)
		}
		_, err := c.CreateStack(ctx, in)
		return err
	}
	const role = "Resources:\n  R:\n    Type: AWS::IAM::Role\n    Properties: {AssumeRolePolicyDocument: {}, RoleName: r}\n"
	if err := create("shop", oneResource, nil); err != nil {
		t.Fatal(err)
	}
	refused(t, create("shop", oneResource, nil), "AlreadyExistsException", "Stack [shop] already exists")
	refused(t, create("1shop", oneResource, nil), "ValidationError", "failed to satisfy constraint")
	refused(t, create("typo", "Resources: {A: {Type: Custom::A}}", nil), "ValidationError", "ServiceToken")
	refused(t, create("role", role, nil), "InsufficientCapabilitiesException", "Requires capabilities : [CAPABILITY_NAMED_IAM]")
	refused(t, create("both", oneResource, func(in *cloudformation.CreateStackInput) {
		in.OnFailure, in.DisableRollback = types.OnFailureDelete, aws.Bool(true)
	}), "ValidationError", "OnFailure")
	refused(t, create("url", "", func(in *cloudformation.CreateStackInput) {
		in.TemplateBody, in.TemplateURL = nil, aws.String("https://s3/t.yaml")
	}), "ValidationError", "TemplateBody")
	refused(t, create("long", strings.Repeat(" ", 51_201), nil), "ValidationError", "51200")
	_, err := c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: aws.String("nobody"), TemplateBody: aws.String(oneResource)})
	refused(t, err, "ValidationError", "Stack [nobody] does not exist")
	_, err = c.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: aws.String("shop"), UsePreviousTemplate: aws.Bool(true)})
	refused(t, err, "ValidationError", "No updates are to be performed.")
	_, err = c.CancelUpdateStack(ctx, &cloudformation.CancelUpdateStackInput{StackName: aws.String("shop")})
	refused(t, err, "ValidationError", "CancelUpdateStack cannot be called from current stack status")
	g := newGate(t)
	if err := create("created", oneResource, func(in *cloudformation.CreateStackInput) {
		in.Parameters, in.EnableTerminationProtection = parameters("Gate", g.url), aws.Bool(true)
	}); err != nil {
		t.Fatal(err)
	}
	_, err = c.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: aws.String("created")})
	refused(t, err, "ValidationError", "Stack [created] cannot be deleted while TerminationProtection is enabled")
	_, err = c.CancelUpdateStack(ctx, &cloudformation.CancelUpdateStackInput{StackName: aws.String("created")})
	refused(t, err, "ValidationError", "CancelUpdateStack cannot be called from current stack status")
	g.open()
	await(t, c, "created", "CREATE_COMPLETE")
	if err := create("deleted", oneResource, func(in *cloudformation.CreateStackInput) {
		in.OnFailure, in.Parameters = types.OnFailureDelete, parameters("Fail", "Create")
	}); err != nil {
		t.Fatal(err)
	}
	if err := cloudformation.NewStackDeleteCompleteWaiter(c).Wait(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String("deleted")}, time.Minute); err != nil {
		t.Error(err)
	}
}

// Of creates of one name at once one wins, and stacks of other names do not wait for each other.
func TestOrdersAtOnce(t *testing.T) {
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c := s.clientWith(s.key)
	create := func(name string, p ...string) error {
		_, err := c.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: &name, TemplateBody: aws.String(oneResource), Parameters: parameters(p...)})
		return err
	}
	var wg sync.WaitGroup
	won := make(chan bool, 3)
	for i := range 3 {
		wg.Go(func() {
			err := create("one", "Id", strconv.Itoa(i)) // which as an update would replace it
			if won <- err == nil; err != nil {
				refused(t, err, "AlreadyExistsException", "Stack [one] already exists")
			}
		})
	}
	wg.Wait()
	close(won)
	n := 0
	for w := range won {
		if w {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of three creates won", n)
	}
	await(t, c, "one", "CREATE_COMPLETE")
	many := testrun.Share(6, 20)
	for i := range many {
		wg.Go(func() {
			if err := create("many" + strconv.Itoa(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range many {
		await(t, c, "many"+strconv.Itoa(i), "CREATE_COMPLETE")
	}
}

// An order that comes again with its ClientRequestToken is the same one.
func TestAnOrderThatComesAgain(t *testing.T) {
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c := s.clientWith(s.key)
	in := &cloudformation.CreateStackInput{StackName: aws.String("shop"), TemplateBody: aws.String(oneResource), ClientRequestToken: aws.String("t")}
	first, err := c.CreateStack(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.CreateStack(t.Context(), in)
	if err != nil || *again.StackId != *first.StackId {
		t.Errorf("%v, %v: want %s again", again, err, *first.StackId)
	}
}

// What a server leaves unfinished the next one goes on with.
func TestOrdersGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "stacks")
	s, stop := startOrders(t, dir)
	g := newGate(t)
	c := s.clientWith(s.key)
	if _, err := c.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: aws.String("shop"), TemplateBody: aws.String(oneResource), Parameters: parameters("Gate", g.url)}); err != nil {
		t.Fatal(err)
	}
	<-g.requests
	stop()
	g.open()
	s, _ = startOrders(t, dir)
	await(t, s.clientWith(s.key), "shop", "CREATE_COMPLETE")
}
