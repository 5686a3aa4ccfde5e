package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A cli is the AWS CLI with an endpoint, and nothing else that is ours.
type cli struct {
	t       *testing.T
	program string
	service string
	origin  string
	key     api.Key
}

func awsCLI(t *testing.T, service, origin string) *cli {
	t.Helper()
	program := os.Getenv("TEST_AWSCLI")
	if program == "" {
		t.Skip("TEST_AWSCLI does not name the AWS CLI; .ci/with-awscli go test ./cfnlocal/test/clients installs it and runs this test")
	}
	return &cli{t, program, service, origin, api.Key{ID: "any", Secret: "any"}}
}

// run runs a command of its service, and returns what it printed and how it failed.
func (c *cli) run(args ...string) (out []byte, complaint string, err error) {
	cmd := exec.CommandContext(c.t.Context(), c.program, append([]string{c.service, "--endpoint-url", c.origin, "--output", "json"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.t.TempDir(), "AWS_DEFAULT_REGION=us-east-1", "AWS_ACCESS_KEY_ID=" + c.key.ID, "AWS_SECRET_ACCESS_KEY=" + c.key.Secret,
		"AWS_EC2_METADATA_DISABLED=true", "AWS_PAGER="}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	return out, strings.TrimSpace(stderr.String()), err
}

// read runs a command that must succeed, and decodes what it printed.
func (c *cli) read(into any, args ...string) {
	c.t.Helper()
	out, complaint, err := c.run(args...)
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		c.t.Fatalf("aws cloudformation %s: %v\n%s%s", strings.Join(args, " "), err, out, complaint)
	}
}

// TestCLIReads: each command that reads.
func TestCLIReads(t *testing.T) {
	// A stack that was updated, and one with more events than a page has.
	b := startServer(t)
	aws := awsCLI(t, "cloudformation", b.origin)
	s := b.mustDeploy("CREATE_COMPLETE", "shop", oneResource)
	b.mustDeploy("UPDATE_COMPLETE", "shop", oneResource, "Id", "two")
	var large strings.Builder
	large.WriteString("Resources:\n")
	for i := range 80 {
		fmt.Fprintf(&large, "  Topic%d: {Type: AWS::SNS::Topic}\n", i)
	}
	paged := b.mustDeploy("CREATE_COMPLETE", "large", large.String())

	// Stacks and events.
	var stacks struct {
		Stacks []struct {
			StackName, StackId, StackStatus, Description string
			Outputs                                      []struct{ OutputKey, OutputValue string }
		}
	}
	aws.read(&stacks, "describe-stacks", "--stack-name", "shop")
	if len(stacks.Stacks) != 1 || stacks.Stacks[0].StackId != s.ID || stacks.Stacks[0].StackStatus != "UPDATE_COMPLETE" ||
		stacks.Stacks[0].Description != "one thing" || stacks.Stacks[0].Outputs[0].OutputValue != "two" {
		t.Errorf("describe-stacks: %+v", stacks)
	}
	var summaries struct {
		StackSummaries []struct{ StackName, StackStatus string }
	}
	aws.read(&summaries, "list-stacks", "--stack-status-filter", "CREATE_COMPLETE", "DELETE_COMPLETE")
	if len(summaries.StackSummaries) != 1 || summaries.StackSummaries[0].StackName != "large" {
		t.Errorf("list-stacks: %+v", summaries)
	}
	var events struct {
		StackEvents []struct{ EventId, ResourceStatus string }
	}
	aws.read(&events, "describe-stack-events", "--stack-name", paged.ID)
	if len(events.StackEvents) != len(paged.Events) || events.StackEvents[0].ResourceStatus != "CREATE_COMPLETE" {
		t.Errorf("describe-stack-events: %d rows, want %d", len(events.StackEvents), len(paged.Events))
	}

	// Resources and templates.
	var resource struct {
		StackResourceDetail struct{ LogicalResourceId, PhysicalResourceId, ResourceType, ResourceStatus string }
	}
	aws.read(&resource, "describe-stack-resource", "--stack-name", "shop", "--logical-resource-id", "Thing")
	if r := resource.StackResourceDetail; r.PhysicalResourceId != "two" || r.ResourceType != "Custom::Thing" || r.ResourceStatus != "UPDATE_COMPLETE" {
		t.Errorf("describe-stack-resource: %+v", r)
	}
	var resources struct {
		StackResources []struct{ LogicalResourceId string }
	}
	aws.read(&resources, "describe-stack-resources", "--stack-name", "shop")
	if len(resources.StackResources) != 2 {
		t.Errorf("describe-stack-resources: %+v", resources)
	}
	var template struct{ TemplateBody string }
	aws.read(&template, "get-template", "--stack-name", "shop")
	if diff := cmp.Diff(oneResource, template.TemplateBody); diff != "" {
		t.Errorf("get-template (-want +got):\n%s", diff)
	}

	// Errors.
	for _, test := range []struct {
		want string
		args []string
	}{
		{"An error occurred (ValidationError) when calling the DescribeStacks operation: Stack with id other does not exist", []string{"describe-stacks", "--stack-name", "other"}},
		{"An error occurred (ValidationError) when calling the DescribeStackResource operation: Resource X does not exist for stack shop", []string{"describe-stack-resource", "--stack-name", "shop", "--logical-resource-id", "X"}},
		{"An error occurred (InvalidAction) when calling the DeleteStack operation: Could not find operation DeleteStack for version 2010-05-15.", []string{"delete-stack", "--stack-name", "shop"}},
	} {
		if _, complaint, err := aws.run(test.args...); err == nil || !strings.HasPrefix(complaint, test.want) {
			t.Errorf("%v: %v, %s\nwant %s", test.args, err, complaint, test.want)
		}
	}
}

// TestCLIWaits: aws cloudformation wait, for three stacks at once, each in
// motion when it is first asked about. It asks every half minute.
func TestCLIWaits(t *testing.T) {
	b := startServer(t)
	asked := make(chan struct{}, 10)
	aws := awsCLI(t, "cloudformation", countingProxy(t, b.origin, asked))
	failed := b.mustDeploy("ROLLBACK_COMPLETE", "failed", oneResource, "Fail", "Create")
	g := newGate(t)
	b.mustDeploy("CREATE_COMPLETE", "updated", oneResource)
	b.mustDeploy("CREATE_COMPLETE", "deleted", oneResource, "Gate", g.url, "At", "Delete")
	rest := []func() *engine.Stack{
		startOperation(t, g, func() (*engine.Stack, error) { return b.deploy(t.Context(), "created", oneResource, "Gate", g.url) }),
		startOperation(t, g, func() (*engine.Stack, error) { return b.deploy(t.Context(), "updated", oneResource, "Gate", g.url) }),
		startOperation(t, g, func() (*engine.Stack, error) { return b.Delete(t.Context(), "deleted", nil, false, local.Settings{}) }),
	}
	waits := make(chan string, 3)
	for name, waiter := range map[string]string{"created": "stack-create-complete", "updated": "stack-update-complete", "deleted": "stack-delete-complete"} {
		go func() {
			_, complaint, err := aws.run("wait", waiter, "--stack-name", name)
			if err != nil {
				complaint = fmt.Sprintf("wait %s: %v: %s", waiter, err, complaint)
			}
			waits <- complaint
		}()
	}
	for range rest {
		select {
		case <-asked:
		case complaint := <-waits:
			t.Fatalf("a wait ended before the stack came to rest: %s", complaint)
		}
	}
	for _, r := range rest {
		r()
	}
	for range rest {
		if complaint := <-waits; complaint != "" {
			t.Error(complaint)
		}
	}
	if _, complaint, err := aws.run("wait", "stack-create-complete", "--stack-name", failed.ID); err == nil || !strings.Contains(complaint, "terminal failure state") {
		t.Errorf("of a stack whose creation failed: %v, %s", err, complaint)
	}
}

// countingProxy starts a proxy of an origin that reports each answered request, and
// returns the proxy's origin.
func countingProxy(t *testing.T, origin string, asked chan<- struct{}) string {
	to, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.ServeHTTP(w, r)
		select {
		case asked <- struct{}{}:
		default:
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
