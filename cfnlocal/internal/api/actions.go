package query

import (
	"net/http"
	"runtime/debug"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/sigv4"
)

// version is that of the API. There has been no other.
const version = "2010-05-15"

// A call is one request, with what it is answered from.
type call struct {
	*request
	source Source
}

// actions are the actions, each with the method that answers it: it returns the content
// of the element <ACTION>Result.
var actions = map[string]func(*call) (any, error){
	"DescribeStacks":         (*call).describeStacks,
	"ListStacks":             (*call).listStacks,
	"DescribeStackEvents":    (*call).describeStackEvents,
	"DescribeStackResource":  (*call).describeStackResource,
	"DescribeStackResources": (*call).describeStackResources,
	"ListStackResources":     (*call).listStackResources,
	"GetTemplateSummary":     (*call).getTemplateSummary,
	"GetTemplate":            (*call).getTemplate,
}

// A Writer is who may order operations, and who starts them.
type Writer struct {
	Key      sigv4.Key // that orders are signed with
	Operator Operator
}

// NewHandler returns the handler of the API over a source. It answers whoever asks:
// [Start] keeps strangers from it. Without a writer it only reads.
func NewHandler(source Source, writer *Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action, result, err := answer(w, r, source, writer)
		respond(w, action, result, err)
	})
}

// answer returns the answer to a request. A panic becomes an error of the API, as it would at AWS.
func answer(w http.ResponseWriter, r *http.Request, source Source, writer *Writer) (action string, result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			action, result, err = "", nil, internal(p, debug.Stack())
		}
	}()
	q, err := read(w, r)
	if err != nil {
		return "", nil, err
	}
	if action = q.text("Action"); action == "" {
		return "", nil, errMissingAction
	}
	c, v := &call{q, source}, q.text("Version")
	does := actions[action]
	ordered, is := orders[action]
	switch {
	case v == version && does != nil:
		result, err = does(c)
		return action, result, err
	case v == version && is && writer != nil:
		if err := writer.Key.Verify(r, q.body, "cloudformation", time.Now()); err != nil {
			return action, nil, unsigned(err)
		}
		result, err = c.order(r.Context(), writer.Operator, action, ordered)
		return action, result, err
	}
	return "", nil, noAction(action, v, writer != nil)
}
