package local

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const topics = `
Description: topics
Parameters: {Name: {Type: String}, Token: {Type: String, NoEcho: true}}
Resources:
  Topic: {Type: AWS::SNS::Topic, Properties: {TopicName: !Ref Name, DisplayName: !Ref Token}}
`

// bad is topics with a resource that nobody answers for, which fails.
const bad = topics + `
  Thing: {Type: Custom::Thing, Properties: {ServiceToken: "arn:aws:lambda:us-east-1:123456789012:function:none"}}
`

// apiAnswer returns the answer to a request with parameters in pairs.
func apiAnswer(t *testing.T, origin, action string, pairs ...string) (status int, body string) {
	t.Helper()
	values := url.Values{"Version": {"2010-05-15"}, "Action": {action}}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	answer, body := get(t, origin+"/?"+values.Encode())
	return answer.StatusCode, body
}

// home returns one without stacks.
func home(t *testing.T) *Home {
	t.Helper()
	h, err := Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// kept returns what is kept of the stack shop.
func kept(t *testing.T, h *Home) *record.Record {
	t.Helper()
	r, err := h.Stack("shop")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// keep makes a record that of the stack shop.
func keep(t *testing.T, h *Home, r *record.Record) {
	t.Helper()
	lock, err := h.store.Lock("shop")
	if err == nil {
		err = errors.Join(lock.Save(r), lock.Unlock())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func deployTopics(t *testing.T, h *Home, name, body, topic string) *engine.Stack {
	t.Helper()
	rev := &record.Revision{File: "t.yaml", Body: body, Parameters: map[string]string{"Name": topic, "Token": "open sesame"},
		Substitutes: record.Substitutes{Commands: map[string]string{"arn:aws:lambda:us-east-1:123456789012:function:none": "exit 1"}}}
	s, err := h.CreateOrUpdate(t.Context(), name, Change{Revision: rev}, nil, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestServe: what the API says is what was saved last, whatever has happened in
// between, and no value that is not to be shown.
func TestServe(t *testing.T) {
	h := home(t)
	server, err := h.Serve("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	has := func(want string, action string, pairs ...string) {
		t.Helper()
		if _, body := apiAnswer(t, server.Origin(), action, pairs...); !strings.Contains(body, want) {
			t.Errorf("%s %v: no %s in\n%s", action, pairs, want, body)
		}
	}

	has("<Message>Stack with id shop does not exist</Message>", "DescribeStacks", "StackName", "shop")
	first := deployTopics(t, h, "shop", topics, "one")
	has("<StackStatus>CREATE_COMPLETE</StackStatus>", "DescribeStacks", "StackName", "shop")
	has("<Description>topics</Description><Parameters><member><ParameterKey>Name</ParameterKey><ParameterValue>one</ParameterValue></member>"+
		"<member><ParameterKey>Token</ParameterKey><ParameterValue>****</ParameterValue></member></Parameters>", "DescribeStacks", "StackName", "shop")
	if _, body := apiAnswer(t, server.Origin(), "DescribeStackEvents", "StackName", "shop"); strings.Contains(body, "sesame") {
		t.Errorf("a secret is shown:\n%s", body)
	}

	// A rollback leads back to the former template and its parameters.
	if s := deployTopics(t, h, "shop", bad, "two"); s.Status != "UPDATE_ROLLBACK_COMPLETE" {
		t.Fatalf("%s: %s", s.Status, s.StatusReason)
	}
	has("<ParameterValue>one</ParameterValue>", "DescribeStacks", "StackName", "shop")
	if _, body := apiAnswer(t, server.Origin(), "GetTemplate", "StackName", "shop"); strings.Contains(body, "Custom::Thing") {
		t.Errorf("after the rollback, the template is\n%s", body)
	}

	// A deleted stack is found by its ARN, until its name is used again.
	if _, err := h.Delete(t.Context(), "shop", nil, false, Settings{}); err != nil {
		t.Fatal(err)
	}
	has("does not exist", "DescribeStacks", "StackName", "shop")
	has("<StackStatus>DELETE_COMPLETE</StackStatus>", "DescribeStacks", "StackName", first.ID)
	has("<ResourceStatus>DELETE_COMPLETE</ResourceStatus>", "DescribeStackResources", "StackName", first.ID)
	has("<TemplateBody>", "GetTemplate", "StackName", first.ID)
	again := deployTopics(t, h, "shop", topics, "one")
	has("does not exist", "DescribeStacks", "StackName", first.ID)
	has(again.ID, "DescribeStacks", "StackName", "shop")

	// A name that no file here can have is that of no stack.
	has("<Message>Stack with id con does not exist</Message>", "DescribeStacks", "StackName", "con")

	// What cannot be read is no stack that does not exist.
	if err := os.WriteFile(h.dir.Path("broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, body := apiAnswer(t, server.Origin(), "DescribeStacks", "StackName", "broken"); status != http.StatusInternalServerError || !strings.Contains(body, "broken.json is damaged") {
		t.Errorf("%d %s", status, body)
	}
	has("<StackStatus>CREATE_COMPLETE</StackStatus>", "DescribeStacks", "StackName", "shop")
}

// TestServeWhileItRollsBack: the template and the parameters are those that the
// stack is led back to.
func TestServeWhileItRollsBack(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	r := kept(t, h)
	next := *r.Revisions[1]
	next.Number, next.Body = 2, strings.Replace(topics, "Description: topics", "Description: others", 1)
	r.Revisions[2], r.Stack.Target = &next, 2
	for _, test := range []struct {
		back bool
		want string
	}{{false, "others"}, {true, "topics"}} {
		r.Stack.Operation.RollingBack = test.back
		keep(t, h, r)
		s, err := stackReader{home: h}.Stack("shop")
		if err != nil || s.Description != test.want || !strings.Contains(s.Template, test.want) {
			t.Errorf("rolling back is %t: %v, %+v", test.back, err, s)
		}
	}
}

// What was not to be shown is not shown later either: once the resource that had it is
// gone, the parameter has another value, or none hides it any more.
func TestPreviousSecretsAreHidden(t *testing.T) {
	h, _ := pagesOf(t)
	renamed := strings.NewReplacer("Topic:", "Other:", "NoEcho: true", "NoEcho: false").Replace(topics)
	for _, token := range []string{"second", "third"} {
		rev := &record.Revision{File: "t.yaml", Body: renamed, Parameters: map[string]string{"Name": "two", "Token": token}}
		if _, err := h.CreateOrUpdate(t.Context(), "shop", Change{Revision: rev}, nil, Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	events := fmt.Sprint(kept(t, h).Shown().Events)
	if strings.Contains(events, "sesame") || !strings.Contains(events, "third") {
		t.Errorf("%s", events)
	}
}
