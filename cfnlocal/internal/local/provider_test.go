package local

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const (
	account = "arn:aws:lambda:us-east-1:123456789012:function:"
	body    = `
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Listens: {Type: AWS::SNS::Subscription, Properties: {Protocol: lambda, TopicArn: !Ref Topic, Endpoint: !GetAtt Fn.Arn}}
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: r, Code: {S3Bucket: b, S3Key: k}}
  Dead:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: r, Code: {S3Bucket: b, S3Key: k}}
`
)

// deployed returns the record of a stack with a function, an alias of it, a topic that
// it listens to, and one that failed events go to.
func deployed(t *testing.T) *record.Record {
	t.Helper()
	r := record.New("shop", engine.Options{Seed: 1, Region: "us-east-1", Account: "123456789012"}, nil)
	r.Stack.Target = 1
	r.Revisions[1] = &record.Revision{Number: 1, File: "/w/t.yaml", Dir: "/w", Body: body,
		Substitutes: record.Substitutes{
			Commands: map[string]string{"Fn": "fn --serve", account + "other": "other", "arn:aws:sns:us-east-1:123456789012:news": "news"},
			Env:      map[string]string{"FLAG": "on"},
		}}
	r.Programs = map[int]map[string]string{1: {"Dead": "/build/dead"}}
	r.Stack.Resources = []*engine.StackResource{
		{LogicalID: "Fn", Type: functionType, PhysicalID: "shop-Fn-1",
			Properties: `{"Environment":{"Variables":{"FLAG":"off","NAME":"a"}},"Handler":"x","MemorySize":"256","RecursiveLoop":"Allow","Timeout":"20"}`},
		{LogicalID: "Dead", Type: functionType, PhysicalID: "shop-Dead-1", Properties: `{}`},
		{LogicalID: "Live", Type: "AWS::Lambda::Alias", PhysicalID: account + "shop-Fn-1:live",
			Properties: engine.Properties(`{"FunctionName":"shop-Fn-1","Name":"live"}`)},
		{LogicalID: "Config", Type: "AWS::Lambda::EventInvokeConfig", PhysicalID: "config",
			Properties: engine.Properties(`{"DestinationConfig":{"OnFailure":{"Destination":"` + account + `shop-Dead-1"}},"FunctionName":"shop-Fn-1","MaximumEventAgeInSeconds":"60","MaximumRetryAttempts":"0","Qualifier":"live"}`)},
		{LogicalID: "Topic", Type: "AWS::SNS::Topic", PhysicalID: "arn:aws:sns:us-east-1:123456789012:shop-Topic-1"},
	}
	return r
}

// providerOf returns the provider that an operation on a stack, the only one in its directory, finds.
func providerOf(t *testing.T, r *record.Record, token string) *provider {
	t.Helper()
	return newOperation(home(t), r, nil, Settings{}).providerOf(token)
}

// TestOf: what is behind each form of a ServiceToken. What is configured for an alias
// is for no other way to invoke its function.
func TestOf(t *testing.T) {
	env := map[string]string{"FLAG": "on", "NAME": "a"}
	fn := host.Function{ARN: account + "shop-Fn-1", Command: shell("fn --serve"), Dir: "/w", Env: env, Handler: "x",
		Timeout: 20 * time.Second, MemorySize: 256, MaximumRetryAttempts: 2, Recursive: true}
	live := fn
	live.ARN, live.MaximumRetryAttempts, live.MaximumEventAge, live.OnFailure = account+"shop-Fn-1:live", 0, time.Minute, account+"shop-Dead-1"
	dead := host.Function{ARN: account + "shop-Dead-1", Command: []string{"/build/dead"}, Dir: "/w", Env: map[string]string{"FLAG": "on"},
		Timeout: 3 * time.Second, MemorySize: 128, MaximumRetryAttempts: 2}
	other := host.Function{ARN: account + "other:7", Command: shell("other"), Dir: "/w", Env: map[string]string{"FLAG": "on"},
		Timeout: 15 * time.Minute, MaximumRetryAttempts: 2}
	news := other
	news.ARN, news.Command = account+"news", shell("news")
	for token, want := range map[string]struct {
		arn       string
		functions []host.Function
		topics    []host.Topic
	}{
		account + "shop-Fn-1":      {account + "shop-Fn-1", []host.Function{fn}, nil},
		"shop-Fn-1":                {account + "shop-Fn-1", []host.Function{fn}, nil},
		account + "shop-Fn-1:live": {account + "shop-Fn-1:live", []host.Function{live, dead}, nil},
		account + "other:7":        {account + "other:7", []host.Function{other}, nil},
		"arn:aws:sns:us-east-1:123456789012:shop-Topic-1": {"arn:aws:sns:us-east-1:123456789012:shop-Topic-1", []host.Function{fn},
			[]host.Topic{{ARN: "arn:aws:sns:us-east-1:123456789012:shop-Topic-1", Subscribers: []string{account + "shop-Fn-1"}}}},
		"arn:aws:sns:us-east-1:123456789012:news": {"arn:aws:sns:us-east-1:123456789012:news", []host.Function{news},
			[]host.Topic{{ARN: "arn:aws:sns:us-east-1:123456789012:news", Subscribers: []string{account + "news"}}}},
	} {
		p := providerOf(t, deployed(t), token)
		if p.reason != "" || p.arn != want.arn {
			t.Errorf("%s: %s %s", token, p.arn, p.reason)
		}
		if diff := cmp.Diff(want.functions, p.functions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", token, diff)
		}
		if diff := cmp.Diff(want.topics, p.topics); diff != "" {
			t.Errorf("%s (-want +got):\n%s", token, diff)
		}
	}
}

// TestNothingBehindAToken: CloudFormation fails the resource with the reason.
func TestNothingBehindAToken(t *testing.T) {
	for want, p := range map[string]*provider{
		"names no function of this stack": providerOf(t, deployed(t), account+"none"),
		"has no program on this machine": func() *provider {
			r := deployed(t)
			r.Programs = nil
			return providerOf(t, r, "shop-Dead-1")
		}(),
		"no longer has a template": func() *provider {
			r := deployed(t)
			delete(r.Revisions, 1)
			return providerOf(t, r, "shop-Fn-1")
		}(),
		"has no function here": providerOfType(deployed(t), "A::B::C"),
	} {
		if !strings.Contains(p.reason, want) {
			t.Errorf("%q, want %q", p.reason, want)
		}
	}
}
