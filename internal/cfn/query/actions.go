package query

import (
	"net/http"
	"runtime/debug"
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

// NewHandler returns the handler of the API over a source. It answers whoever asks:
// [Start] keeps strangers from it.
func NewHandler(source Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action, result, err := answer(w, r, source)
		respond(w, action, result, err)
	})
}

// answer returns the answer to a request. A panic becomes an error of the API, as it
// would at AWS.
func answer(w http.ResponseWriter, r *http.Request, source Source) (action string, result any, err error) {
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
	does := actions[action]
	if v := q.text("Version"); does == nil || v != version {
		return "", nil, noAction(action, v)
	}
	result, err = does(&call{q, source})
	return action, result, err
}
