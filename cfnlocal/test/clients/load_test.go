package clients

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

const clients = 8

// TestLoad: eight clients at once, of all that there is to ask, while a stack
// is updated again and again. Nothing fails, and nothing is kept.
func TestLoad(t *testing.T) {
	each := testrun.Share(30, 2000) // calls of each client
	if text := os.Getenv("CLIENTS_LOAD"); text != "" {
		var err error
		if each, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}

	// One stack stays as it is, and another will change.
	b := startServer(t)
	var body strings.Builder
	body.WriteString("Resources:\n")
	for i := range 35 {
		fmt.Fprintf(&body, "  Topic%d: {Type: AWS::SNS::Topic}\n", i)
	}
	shop := b.mustDeploy("CREATE_COMPLETE", "shop", body.String())
	b.mustDeploy("CREATE_COMPLETE", "busy", changingTemplate(0))

	// Each client calls everything once, so that what is kept for good is there before.
	pool := make([]*loadClient, clients)
	for i := range pool {
		transport := &http.Transport{}
		pool[i] = &loadClient{c: b.client(), shop: shop, turn: i}
		pool[i].c = cloudformation.New(pool[i].c.Options(), func(o *cloudformation.Options) { o.HTTPClient = &http.Client{Transport: transport} })
		for range calls {
			if err := pool[i].call(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		defer transport.CloseIdleConnections()
	}
	before := heapBytes()

	// The clients call, and the other stack is updated until they have ended.
	var wg sync.WaitGroup
	for _, p := range pool {
		wg.Go(func() {
			for range each {
				if err := p.call(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	updates := 0
	for busy := true; busy; updates++ {
		if _, err := b.deploy(t.Context(), "busy", changingTemplate(updates+1)); err != nil {
			t.Error(err)
			break
		}
		if updates%50 == 49 { // or its state grows and grows
			if _, err := b.Delete(t.Context(), "busy", nil, false, settings); err != nil {
				t.Error(err)
				break
			}
		}
		select {
		case <-ended:
			busy = false
		default:
		}
	}
	<-ended

	after := heapBytes()
	t.Logf("%d calls and %d updates; live heap %d KiB before, %d KiB after (%.2f)", clients*each, updates, before>>10, after>>10, float64(after)/float64(before))
	if float64(after) > 1.2*float64(before) {
		t.Errorf("the live heap grew from %d to %d bytes", before, after)
	}
}

// changingTemplate returns a template that differs for each i.
func changingTemplate(i int) string {
	return fmt.Sprintf("Resources:\n  Topic: {Type: AWS::SNS::Topic, Properties: {DisplayName: n%d}}\n", i)
}

// heapBytes returns the size of the live heap.
func heapBytes() uint64 {
	runtime.GC()
	runtime.GC() // what the first one has let pools go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A loadClient is a client of the test under load.
type loadClient struct {
	c    *cloudformation.Client
	shop *engine.Stack
	turn int
}

// calls is how many kinds of calls there are.
const calls = 10

// call asks for the next thing, and checks the answer as far as it cannot change.
func (c *loadClient) call(ctx context.Context) error {
	c.turn++
	name := aws.String("shop")
	switch c.turn % calls {
	case 0:
		out, err := c.c.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: name})
		return check(err, err == nil && out.Stacks[0].StackStatus == "CREATE_COMPLETE", "DescribeStacks")
	case 1:
		out, err := c.c.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{})
		return check(err, err == nil && len(out.Stacks) >= 1, "DescribeStacks of all")
	case 2:
		out, err := c.c.DescribeStackEvents(ctx, &cloudformation.DescribeStackEventsInput{StackName: &c.shop.ID})
		if err != nil {
			return err
		}
		rest, err := c.c.DescribeStackEvents(ctx, &cloudformation.DescribeStackEventsInput{StackName: name, NextToken: out.NextToken})
		return check(err, err == nil && len(out.StackEvents)+len(rest.StackEvents) == len(c.shop.Events), "DescribeStackEvents")
	case 3:
		out, err := c.c.DescribeStackResource(ctx, &cloudformation.DescribeStackResourceInput{StackName: name, LogicalResourceId: aws.String("Topic7")})
		return check(err, err == nil && out.StackResourceDetail.ResourceStatus == "CREATE_COMPLETE", "DescribeStackResource")
	case 4:
		out, err := c.c.DescribeStackResources(ctx, &cloudformation.DescribeStackResourcesInput{StackName: name})
		return check(err, err == nil && len(out.StackResources) == 35, "DescribeStackResources")
	case 5:
		out, err := c.c.ListStacks(ctx, &cloudformation.ListStacksInput{})
		return check(err, err == nil && len(out.StackSummaries) == 2, "ListStacks")
	case 6:
		_, err := c.c.GetTemplate(ctx, &cloudformation.GetTemplateInput{StackName: name})
		return err
	case 7:
		_, err := c.c.DescribeStackEvents(ctx, &cloudformation.DescribeStackEventsInput{StackName: aws.String("busy")})
		return allowError(err, "Stack [busy] does not exist") // for a moment, now and then
	case 8:
		_, err := c.c.DescribeStackResource(ctx, &cloudformation.DescribeStackResourceInput{StackName: aws.String("busy"), LogicalResourceId: aws.String("Topic")})
		return allowError(err, "does not exist")
	default:
		_, err := c.c.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String("other")})
		return check(allowError(err, "Stack with id other does not exist"), err != nil, "DescribeStacks of none")
	}
}

func check(err error, ok bool, what string) error {
	if err == nil && !ok {
		err = errors.New(what + ": another answer than expected")
	}
	return err
}

// allowError returns nil for a ValidationError with this text in its message.
func allowError(err error, message string) error {
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "ValidationError" && strings.Contains(e.ErrorMessage(), message) {
		return nil
	}
	return err
}

// A server that has carried out many operations keeps no more than after the first tenth of
// them: no memory, no goroutine, no open file.
func TestSoak(t *testing.T) {
	if !testrun.Thorough() {
		t.Skip("it takes a minute: TEST_THOROUGH is not set")
	}
	const stacks = 200 // that are created, updated and deleted in turn
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c := s.clientWith(s.key)
	cycle := func(i int) {
		// The names come again, or the directory would grow, of which the API lists all.
		name, token := "shop"+strconv.Itoa(i%5), aws.String(strconv.Itoa(i))
		created, err := c.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: &name, TemplateBody: aws.String(oneResource), ClientRequestToken: token})
		if err != nil {
			t.Fatal(err)
		}
		await(t, c, name, "CREATE_COMPLETE")
		if _, err := c.UpdateStack(t.Context(), &cloudformation.UpdateStackInput{StackName: &name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two"), ClientRequestToken: token}); err != nil {
			t.Fatal(err)
		}
		await(t, c, name, "UPDATE_COMPLETE")
		if _, err := c.DeleteStack(t.Context(), &cloudformation.DeleteStackInput{StackName: &name, ClientRequestToken: token}); err != nil {
			t.Fatal(err)
		}
		await(t, c, *created.StackId, "DELETE_COMPLETE")
	}
	var first use
	for i := range stacks {
		if cycle(i); i+1 == stacks/10 {
			first = used(t)
		}
	}
	last := used(t)
	t.Logf("%d stacks; after the first tenth %+v, in the end %+v", stacks, first, last)
	if last.heap > first.heap+first.heap/5 || last.goroutines > first.goroutines+5 || last.files > first.files+5 {
		t.Errorf("after the first tenth %+v, in the end %+v", first, last)
	}
}

// A use is what this process has of what can be leaked.
type use struct {
	heap              uint64
	goroutines, files int
}

func used(t *testing.T) use {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return use{heapBytes(), runtime.NumGoroutine(), len(files)}
}
