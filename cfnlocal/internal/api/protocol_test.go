package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// TestRefusals: the codes, statuses and messages of what cannot be answered.
func TestRefusals(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "one"))
	gone := newWorld(t, "gone")
	gone.deploy(thing("A", "Id", "one"))
	gone.run(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) })
	source := w.source()
	source["gone"] = gone.source()["gone"]
	otherARN := strings.Replace(source["shop"].ID, "stack/shop/", "stack/shop/0", 1)

	const v = "ValidationError: "
	for _, test := range []struct {
		name   string
		values url.Values
		status int
		want   string
	}{
		{"no action", form(), 400, "MissingAction: The request is missing an action or a required parameter."},
		{"another action", form("Action", "DeleteStack", "StackName", "shop"), 400, "InvalidAction: Could not find operation DeleteStack for version 2010-05-15."},
		{"another version", form("Action", "ListStacks", "Version", "2009-01-01"), 400, "InvalidAction: Could not find operation ListStacks for version 2009-01-01."},
		{"no version", url.Values{"Action": {"ListStacks"}}, 400, "InvalidAction: Could not find operation ListStacks for version NO_VERSION_SPECIFIED."},
		{"DescribeStacks of none", form("Action", "DescribeStacks", "StackName", "x"), 400, v + "Stack with id x does not exist"},
		{"of another one's ARN", form("Action", "DescribeStacks", "StackName", otherARN), 400, v + "Stack with id " + otherARN + " does not exist"},
		{"a deleted stack by its name", form("Action", "DescribeStacks", "StackName", "gone"), 400, v + "Stack with id gone does not exist"},
		{"its events by its name", form("Action", "DescribeStackEvents", "StackName", "gone"), 400, v + "Stack [gone] does not exist"},
		{"its resource by its name", form("Action", "DescribeStackResource", "StackName", "gone", "LogicalResourceId", "A"), 400, v + "Stack 'gone' does not exist"},
		{"its resources by its name", form("Action", "DescribeStackResources", "StackName", "gone"), 400, v + "Stack with id gone does not exist"},
		{"its template by its name", form("Action", "GetTemplate", "StackName", "gone"), 400, v + "Stack with id gone does not exist"},
		{"no name", form("Action", "DescribeStackEvents"), 400, v + "1 validation error detected: Value null at 'stackName' failed to satisfy constraint: Member must not be null"},
		{"an empty name", form("Action", "DescribeStacks", "StackName", ""), 400, v + "1 validation error detected: Value '' at 'stackName' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"no name that could be", form("Action", "GetTemplate", "StackName", "a_b"), 400, v + "1 validation error detected: Value 'a_b' at 'stackName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*"},
		{"a long name", form("Action", "DescribeStacks", "StackName", strings.Repeat("a", 129)), 400, v + "Stack with id " + strings.Repeat("a", 129) + " does not exist"},
		{"no resource", form("Action", "DescribeStackResource", "StackName", "shop"), 400, v + "1 validation error detected: Value null at 'logicalResourceId' failed"},
		{"a resource that is not there", form("Action", "DescribeStackResource", "StackName", "shop", "LogicalResourceId", "B"), 400, v + "Resource B does not exist for stack shop"},
		{"nor among the resources", form("Action", "DescribeStackResources", "StackName", "shop", "LogicalResourceId", "B"), 400, v + "Resource B does not exist for stack shop"},
		{"neither stack nor resource", form("Action", "DescribeStackResources"), 400, v + "Either StackName or PhysicalResourceId must be specified"},
		{"both", form("Action", "DescribeStackResources", "StackName", "shop", "PhysicalResourceId", "one"), 400, v + "StackName and PhysicalResourceId cannot be specified together"},
		{"a physical resource of no stack", form("Action", "DescribeStackResources", "PhysicalResourceId", "nine"), 400, v + "Stack for nine does not exist"},
		{"no status", form("Action", "ListStacks", "StackStatusFilter.member.1", "CREATE_COMPLETE", "StackStatusFilter.member.2", "DONE"), 400, v + "1 validation error detected: Value '[CREATE_COMPLETE, DONE]' at 'stackStatusFilter' failed to satisfy constraint: Member must satisfy constraint: [Member must satisfy enum value set: [CREATE_IN_PROGRESS, "},
		{"no stage", form("Action", "GetTemplate", "StackName", "shop", "TemplateStage", "Raw"), 400, v + "1 validation error detected: Value 'Raw' at 'templateStage' failed"},
		{"a change set", form("Action", "GetTemplate", "StackName", "shop", "ChangeSetName", "c"), 404, "ChangeSetNotFound: ChangeSet [c] does not exist"},
		{"an empty token", form("Action", "ListStacks", "NextToken", ""), 400, v + "1 validation error detected: Value '' at 'nextToken' failed"},
		{"a long token", form("Action", "ListStacks", "NextToken", strings.Repeat("a", 1025)), 400, v + "1 validation error detected: Value 'aaa"},
		{"no token", form("Action", "ListStacks", "NextToken", "abc"), 400, v + "abc is not a valid NextToken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := ask(source, test.values)
			if got := refused(t, r); r.Code != test.status || !strings.HasPrefix(got, test.want) {
				t.Errorf("%d %s\nwant %d %s", r.Code, got, test.status, test.want)
			}
		})
	}
}

// TestNoRequests: what is not of the Query protocol at all.
func TestNoRequests(t *testing.T) {
	post := func(contentType, body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		return r
	}
	const form = "application/x-www-form-urlencoded"
	for _, test := range []struct {
		name    string
		request *http.Request
		status  int
		want    string
	}{
		{"a broken escape", post(form, "Action=%zz"), 404, "MalformedQueryString: "},
		{"JSON", post("application/x-amz-json-1.1", `{"Action":"ListStacks"}`), 400, "InvalidQueryParameter: "},
		{"no type", post("", "Action=ListStacks"), 400, "InvalidQueryParameter: "},
		{"too much", post(form, strings.Repeat("a", maxBody+1)), 413, "RequestEntityTooLarge: "},
		{"another method", httptest.NewRequest(http.MethodPut, "http://127.0.0.1/", nil), 405, "InvalidAction: "},
		{"another path", httptest.NewRequest(http.MethodGet, "http://127.0.0.1/x?Action=ListStacks&Version="+version, nil), 404, "InvalidAction: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := serve(stacks{}, test.request)
			if got := refused(t, r); r.Code != test.status || !strings.HasPrefix(got, test.want) {
				t.Errorf("%d %s\nwant %d %s", r.Code, got, test.status, test.want)
			}
		})
	}
}

// TestHostileCharacters: who reads the document as text has none on a terminal, and who reads
// the XML has them all.
func TestHostileCharacters(t *testing.T) {
	const action = "a\u009b\u202e\u2066\U000e0041b"
	r := ask(stacks{}, form("Action", action))
	if body := r.Body.String(); printable.Text(body) != body || !strings.Contains(refused(t, r), action) {
		t.Errorf("%q", body)
	}
}

// broken is a Reader that fails, or has a defect.
type broken struct{ err error }

func (b broken) Names() ([]string, error) { return nil, b.err }

func (b broken) Stack(string) (*Stack, error) {
	if b.err == nil {
		var s *Stack
		s.Name = "" // as a defect would
	}
	return nil, b.err
}

// TestInternalFailure: what is not the client's fault is said to be none, and
// no defect ends the server.
func TestInternalFailure(t *testing.T) {
	for _, test := range []struct {
		source Reader
		want   string
	}{
		{broken{errors.New("shop.json is damaged")}, "InternalFailure: cfnlocal: shop.json is damaged"},
		{broken{}, "InternalFailure: cfnlocal: runtime error: invalid memory address"},
	} {
		r := ask(test.source, form("Action", "DescribeStacks", "StackName", "shop"))
		if got := refused(t, r); r.Code != http.StatusInternalServerError || !strings.HasPrefix(got, test.want) {
			t.Errorf("%d %s, want %s", r.Code, got, test.want)
		}
	}
}

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
		newHandler(source, nil).ServeHTTP(answer, r)
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
		if e, ok := errors.AsType[*RefusalError](err); err != nil && (!ok || e.Code != "ValidationError" || len(e.Message) > 10_000) {
			t.Errorf("%s: %v", action, err)
		}
	})
}
