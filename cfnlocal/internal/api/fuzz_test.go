package query

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// FuzzQuery: whatever is sent is answered with a document, or refused with one
// of CloudFormation's errors. None is InternalFailure, which a panic would be.
func FuzzQuery(f *testing.F) {
	w := newWorld(&testing.T{}, "shop")
	template := &engine.Template{Resources: []engine.Resource{thing("A", "Id", "one")}}
	if err := w.player.Machine.Create(start, engine.Deployment{Template: template}); err != nil {
		f.Fatal(err)
	}
	if err := w.player.Drain(); err != nil {
		f.Fatal(err)
	}
	source := w.source()
	id := source["shop"].ID
	token := (&call{request: &request{values: form("Action", "DescribeStackEvents")}}).token(id, "2")
	const formType = "application/x-www-form-urlencoded"
	for action := range actions {
		f.Add("POST", "/", "127.0.0.1", formType, form("Action", action, "StackName", "shop", "LogicalResourceId", "A").Encode())
		f.Add("POST", "/", "127.0.0.1", formType, form("Action", action, "StackName", id, "LogicalResourceId", "A", "NextToken", token).Encode())
		f.Add("GET", "/?"+form("Action", action, "StackStatusFilter.member.1", "CREATE_COMPLETE", "PhysicalResourceId", "one").Encode(), "localhost:1", "", "")
	}
	f.Add("POST", "/?Action=ListStacks", "[::1]:80", formType+";charset=", "Version=2010-05-15&StackName=arn:aws:cloudformation:::stack/%00/&%zz;")
	f.Add("PUT", "//", "evil.example", "text/xml", "<a/>")
	f.Fuzz(func(t *testing.T, method, target, host, contentType, body string) {
		r, err := http.NewRequest(method, "http://127.0.0.1/", strings.NewReader(body))
		if err != nil {
			return // net/http's server would refuse it as well
		}
		if r.URL, err = r.URL.Parse(target); err != nil {
			return
		}
		r.Host = host
		r.Header.Set("Content-Type", contentType)
		answer := httptest.NewRecorder()
		NewHandler(source, nil).ServeHTTP(answer, r)
		what := refused(t, answer)
		if strings.HasPrefix(what, "InternalFailure") || answer.Body.Len() == 0 || (answer.Code != http.StatusOK) != (what != "") {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	})
}

// An operator that takes everything.
type takesAll struct{}

func (takesAll) Start(_ context.Context, o *Order) (string, error) { return o.StackName, nil }

// Whatever an order holds, it is parsed or refused in the API's form.
func FuzzOrder(f *testing.F) {
	for action := range orders {
		f.Add(action, "StackName=shop&TemplateBody=x&Parameters.member.1.ParameterKey=A&Parameters.member.1.ParameterValue=b&Tags.member.1.Key=k&Capabilities.member.1=c&DisableRollback=true")
	}
	f.Fuzz(func(t *testing.T, action, text string) {
		ordered, is := orders[action]
		values, err := url.ParseQuery(text)
		if !is || err != nil {
			return
		}
		_, err = (&call{&request{values: values}, stacks{}}).order(t.Context(), takesAll{}, action, ordered)
		if e, ok := errors.AsType[*apiError](err); err != nil && (!ok || e.code != "ValidationError" || len(e.message) > 10_000) {
			t.Errorf("%s: %v", action, err)
		}
	})
}
