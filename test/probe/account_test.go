package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/google/go-cmp/cmp"
)

// inFakeAccount starts an account in which the probe plays as fast as against cfnlocal.
func inFakeAccount(t *testing.T, throttle ...string) *fakeAccount {
	t.Helper()
	was := accountWorld
	t.Cleanup(func() { accountWorld = was })
	accountWorld = func(string) *world {
		w := localWorld("")
		w.topic = ""
		return w
	}
	return startAccount(t, throttle...)
}

// probeIn runs the command as a user does.
func probeIn(t *testing.T, args ...string) (same bool, err error) {
	t.Helper()
	return run(t.Context(), append(args, "-scenarios", scenarios))
}

func (a *fakeAccount) checkNothingIsLeft(t *testing.T) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.topics) > 0 || len(a.queues) > 0 {
		t.Errorf("the topics %v and the queues %v are left", a.topics, a.queues)
	}
}

// In an account, a run goes as the engine says, and leaves nothing: although each message comes
// twice, the latest first, and calls are throttled.
func TestAnAccountGoesAsTheEngineSays(t *testing.T) {
	a := inFakeAccount(t, "sns:CreateTopic", "cloudformation:CreateStack")
	const played = "s01-,s02-,s04b-,s07d-,s10e-,s21-,s22-replacement,s29-,s47-,s49b-,s61-,s72-"
	if same, err := probeIn(t, "-account", fakeID, "-only", played); err != nil || !same {
		t.Errorf("all is the same: %t, %v", same, err)
	}
	a.checkNothingIsLeft(t)
	if len(a.throttle) > 0 {
		t.Errorf("nobody has called %v", a.throttle)
	}

	// What is left of a run that was killed is refused, and then removed.
	p, err := openAccount(t.Context(), fakeID)
	if err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.topics[fakeTopic], a.queues[ourName] = []string{ourName}, nil
	a.mu.Unlock()
	p.topic = fakeTopic
	one := newPlay(plansOf(t, "s01-create")[0], p.world)
	body, err := one.body(one.Texts["v1"])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.client.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: &one.name, TemplateBody: &body}); err != nil {
		t.Fatal(err)
	}
	if _, err := probeIn(t, "-account", fakeID, "-only", "s01-"); err == nil || !strings.Contains(err.Error(), "there are 1 stacks of another run") {
		t.Errorf("a run beside another one: %v", err)
	}
	if len(a.topics) != 1 || len(a.queues) != 1 {
		t.Errorf("the topics %v and the queues %v are left to the other run, want one of each", a.topics, a.queues)
	}
	if _, err := probeIn(t, "clean", "-account", fakeID); err != nil {
		t.Error(err)
	}
	a.checkNothingIsLeft(t)
	if left, err := p.leftStacks(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	checkPolicy(t, a.calls)
}

// ofNatives are what the policy allows for native resources of stacks, which cfnlocal does not make.
var ofNatives = []string{"sns:GetTopicAttributes", "sqs:GetQueueAttributes", "sqs:SetQueueAttributes"}

// checkPolicy holds the policy of docs/probe.md to what is called.
func checkPolicy(t *testing.T, calls map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("../../docs/probe.md")
	if err != nil {
		t.Fatal(err)
	}
	var policy struct {
		Statement []struct{ Action []string }
	}
	if err := json.Unmarshal([]byte(regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(string(text))[1]), &policy); err != nil {
		t.Fatal(err)
	}
	allowed := slices.Clone(ofNatives)
	for action := range maps.Keys(calls) {
		if action != "sts:GetCallerIdentity" { // which everybody may call
			allowed = append(allowed, action)
		}
	}
	var listed []string
	for _, s := range policy.Statement {
		listed = append(listed, s.Action...)
	}
	slices.Sort(allowed)
	slices.Sort(listed)
	if diff := cmp.Diff(slices.Compact(allowed), listed); diff != "" {
		t.Errorf("the policy (-needed +listed):\n%s", diff)
	}
}

// The credentials of another account are refused before anything is made.
func TestAnotherAccountIsRefused(t *testing.T) {
	a := inFakeAccount(t)
	for _, args := range [][]string{{"-account", "999999999999"}, {"clean", "-account", "999999999999"}} {
		if _, err := probeIn(t, args...); err == nil || !strings.Contains(err.Error(), "another account") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if diff := cmp.Diff(map[string]bool{"sts:GetCallerIdentity": true}, a.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// An answer goes to CloudFormation's bucket of the region, or locally to this machine, and to
// nobody else, whatever a message says. The URL is not in the error.
func TestAnswersGoToAllowedHosts(t *testing.T) {
	t.Parallel()
	var puts []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { puts = append(puts, r.Method) }))
	defer server.Close()
	for name, tt := range map[string]struct {
		to  allowed
		url string
		may bool
	}{
		"locally, this machine":          {onlyLoopback, server.URL + "/a?Signature=secret", true},
		"locally, another host":          {onlyLoopback, "http://192.0.2.1/a?Signature=secret", false},
		"in an account, another host":    {accountWorld("us-east-1").to, server.URL + "/a?Signature=secret", false},
		"in an account, another region":  {accountWorld("us-east-1").to, "https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com/a?Signature=secret", false},
		"in an account without a region": {accountWorld("").to, server.URL + "/a?Signature=secret", false},
	} {
		puts = nil
		text, err := json.Marshal(event{RequestType: "Create", StackId: "arn:aws:cloudformation:us-east-1:123456789012:stack/cfnprobe-x/1", ResponseURL: tt.url})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
		_, err = newRouter(tt.to, nil).message(ctx, "1", string(text))
		end()
		if tt.may != (err == nil) || tt.may != (len(puts) == 1) {
			t.Errorf("%s: %v with the error %v", name, puts, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "no answer was sent") || strings.Contains(err.Error(), "//") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: the error is %q", name, err)
		}
	}
}
