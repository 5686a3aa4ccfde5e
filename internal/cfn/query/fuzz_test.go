package query

import (
	"net/http"
	"net/http/httptest"
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
	w.player.Run(f)
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
