package query

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/sigv4"
)

// An apiError is what CloudFormation answers to a request that it refuses.
type apiError struct {
	status        int
	code, message string
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

// The errors of requests that name no action, or that nobody can read. Codes and statuses are AWS's
// common ones (CloudFormation API Reference, "Common Error Types"), as are the messages of the
// first two; the others' words are this package's.
var (
	errMissingAction = &apiError{http.StatusBadRequest, "MissingAction", "The request is missing an action or a required parameter."}
	errMalformed     = &apiError{http.StatusNotFound, "MalformedQueryString", "The query string contains a syntax error."}
	errNoForm        = &apiError{http.StatusBadRequest, "InvalidQueryParameter", "The body of a POST must be a form: application/x-www-form-urlencoded."} // [?]
	errTooLong       = &apiError{http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", fmt.Sprintf("The request is longer than %d bytes.", maxBody)} // [?]
	errMethod        = &apiError{http.StatusMethodNotAllowed, "InvalidAction", "The API takes GET and POST."}                                             // [?]
	errUnknownPath   = &apiError{http.StatusNotFound, "InvalidAction", "The API has the path / and no other."}                                            // [?]
)

// noAction is the error for an unknown action. The first sentence is that of AWS's
// services with the Query protocol [O]; the rest is this package's.
func noAction(action, v string, writes bool) error {
	if v == "" {
		v = "NO_VERSION_SPECIFIED"
	}
	also := "this is cfnlocal, whose API only reads; its commands deploy and delete, and so does cfnlocal serve --deploy"
	if writes {
		also = strings.Join(slices.Sorted(maps.Keys(orders)), ", ") + ": this is cfnlocal"
	}
	return &apiError{http.StatusBadRequest, "InvalidAction", fmt.Sprintf("Could not find operation %s for version %s. "+
		"Here are, for version %s, DescribeStacks, DescribeStackEvents, DescribeStackResource, DescribeStackResources, ListStackResources, ListStacks, GetTemplate and GetTemplateSummary, and %s",
		shorten(action), shorten(v), version, also)}
}

// unsigned is the error for an order that the key has not signed. The codes are AWS's
// common ones, and so are the statuses.
func unsigned(why error) error {
	refused := map[error]apiError{
		sigv4.ErrUnsigned:  {http.StatusForbidden, "MissingAuthenticationToken", "Request is missing Authentication Token"},
		sigv4.ErrMalformed: {http.StatusBadRequest, "IncompleteSignature", "The request signature does not conform to AWS standards."},
		sigv4.ErrKey:       {http.StatusForbidden, "InvalidClientTokenId", "The security token included in the request is invalid: cfnlocal serve prints another key each time that it starts."},
		sigv4.ErrTime:      {http.StatusBadRequest, "RequestExpired", "The request's time is more than 15 minutes from this machine's."},
		sigv4.ErrSignature: {http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method."},
	}[why]
	return &refused
}

// invalid is the error for parameters with which nothing can be done.
func invalid(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, "ValidationError", fmt.Sprintf(format, args...)}
}

// missingParameter is the error for a required parameter that is not given [O].
func missingParameter(parameter string) error {
	return invalid("1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must not be null", memberName(parameter))
}

// invalidValue is the error for a parameter that breaks a rule of the API's model [O].
func invalidValue(value, parameter, rule string) error {
	return invalid("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: %s", shorten(value), memberName(parameter), rule)
}

// memberName returns a parameter's name as those errors write it: StackName becomes stackName.
func memberName(parameter string) string { return strings.ToLower(parameter[:1]) + parameter[1:] }

// internal is the error for what is not the client's fault: a state that cannot be read, a defect
// of this program. The text is for the developer, whose machine it is.
func internal(what any, stack []byte) error {
	text := fmt.Sprintf("cfnlocal: %v", what)
	if stack != nil {
		text += "\n" + string(stack)
	}
	return &apiError{http.StatusInternalServerError, "InternalFailure", text}
}

// shorten keeps an error readable, whatever was sent.
func shorten(s string) string {
	const most = 2000 // longer than any ARN
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
