package api

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// maxBody is how long a request may be. What is asked for here has a name, an
// ARN and a token; the limit is for those who send something else.
const maxBody = 1 << 20

// A request is what a client asks for: the parameters of the Query protocol.
type request struct {
	values url.Values
	body   []byte
}

// read takes the parameters from the URL of a GET or the form of a POST.
func read(w http.ResponseWriter, r *http.Request) (*request, error) {
	if r.URL.Path != "/" {
		return nil, errUnknownPath
	}
	// The query protocol takes parameters from both the URL and the form, and a signature covers them as they are written.
	text, body := r.URL.RawQuery, []byte(nil)
	switch r.Method {
	case http.MethodGet:
	case http.MethodPost:
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != "application/x-www-form-urlencoded" {
			return nil, errNoForm
		}
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if errors.As(err, new(*http.MaxBytesError)) {
			return nil, errTooLong
		} else if err != nil {
			return nil, errMalformed
		}
		if text != "" {
			text += "&"
		}
		text += string(body)
	default:
		return nil, errMethod
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, errMalformed
	}
	return &request{values, body}, nil
}

// text returns a parameter, or "" if it is not given or empty.
func (r *request) text(name string) string { return r.values.Get(name) }

// required returns a parameter, or an error if it is missing or empty.
func (r *request) required(name string) (string, error) {
	if !r.values.Has(name) {
		return "", invalid("1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must not be null", memberName(name)) // [O]
	}
	value := r.text(name)
	if value == "" {
		return "", invalidValue(value, name, "Member must have length greater than or equal to 1")
	}
	return value, nil
}

// list returns the members of a list: NAME.member.1, NAME.member.2, and so on until one is missing.
func (r *request) list(name string) (all []string) {
	for i := 1; ; i++ {
		key := name + ".member." + strconv.Itoa(i)
		if !r.values.Has(key) {
			return all
		}
		all = append(all, r.text(key))
	}
}

const namespace = "http://cloudformation.amazonaws.com/doc/2010-05-15/"

// A response is the document of an answer: <ACTION>Response.
type response struct {
	XMLName   xml.Name
	Result    result
	RequestID string `xml:"ResponseMetadata>RequestId"`
}

// A result is the element <ACTION>Result.
type result struct {
	name    string
	content any
}

// MarshalXML writes the content under the result's name.
func (r result) MarshalXML(e *xml.Encoder, _ xml.StartElement) error {
	return e.EncodeElement(r.content, xml.StartElement{Name: xml.Name{Local: r.name}})
}

// An errorResponse is the document of a refusal [V].
type errorResponse struct {
	XMLName   xml.Name
	Error     errorDetail
	RequestID string `xml:"RequestId"`
}

type errorDetail struct{ Type, Code, Message string }

// members are a list, each in an element of that name.
type members[T any] struct {
	Members []T `xml:"member"`
}

// A timestamp is a time as the API writes it; the zero time is left out.
type timestamp time.Time

// MarshalXML writes the time in UTC, with milliseconds.
func (t timestamp) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if time.Time(t).IsZero() {
		return nil
	}
	return e.EncodeElement(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z"), start)
}

// respond writes an answer, or a refusal if there is an error.
func respond(w http.ResponseWriter, action string, content any, err error) {
	id := uuid.NewString()
	status := http.StatusOK
	var document any = response{xml.Name{Space: namespace, Local: action + "Response"}, result{action + "Result", content}, id}
	if err != nil {
		status, document = refusal(err, id)
	}
	var body bytes.Buffer
	if err := xml.NewEncoder(&body).Encode(document); err != nil {
		body.Reset()
		status, document = refusal(internal(err, nil), id)
		_ = xml.NewEncoder(&body).Encode(document) // three strings always can be
	}
	text := printable.XML(body.Bytes())
	h := w.Header()
	h.Set("Content-Type", "text/xml")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("X-Amzn-Requestid", id)
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have closed the connection
}

func refusal(err error, id string) (status int, document any) {
	e, ok := errors.AsType[*RefusalError](err)
	if v, is := errors.AsType[*engine.ValidationError](err); is {
		e, ok = &RefusalError{0, "ValidationError", v.Message}, true
		if errors.Is(v, engine.ErrAlreadyExists) {
			e.Code = "AlreadyExistsException"
		}
	}
	if !ok {
		return refusal(internal(err, nil), id)
	}
	whose := "Sender"
	if e.status >= http.StatusInternalServerError {
		whose = "Receiver"
	}
	return cmp.Or(e.status, http.StatusBadRequest), errorResponse{xml.Name{Space: namespace, Local: "ErrorResponse"}, errorDetail{whose, e.Code, e.Message}, id}
}

// A RefusalError is what CloudFormation answers to a request, or an Order, that it refuses.
type RefusalError struct {
	status        int // 0 is 400
	Code, Message string
}

func (e *RefusalError) Error() string { return e.Message }

// The errors of requests that name no action, or that nobody can read. Codes and statuses are AWS's
// common ones (CloudFormation API Reference, "Common Error Types"), as are the messages of the
// first two; the others' words are this package's.
var (
	errMissingAction = &RefusalError{http.StatusBadRequest, "MissingAction", "The request is missing an action or a required parameter."}
	errMalformed     = &RefusalError{http.StatusNotFound, "MalformedQueryString", "The query string contains a syntax error."}
	errNoForm        = &RefusalError{http.StatusBadRequest, "InvalidQueryParameter", "The body of a POST must be a form: application/x-www-form-urlencoded."} // [?]
	errTooLong       = &RefusalError{http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", fmt.Sprintf("The request is longer than %d bytes.", maxBody)} // [?]
	errMethod        = &RefusalError{http.StatusMethodNotAllowed, "InvalidAction", "The API takes GET and POST."}                                             // [?]
	errUnknownPath   = &RefusalError{http.StatusNotFound, "InvalidAction", "The API has the path / and no other."}                                            // [?]
)

// noAction is the error for an unknown action. The first sentence is that of AWS's
// services with the Query protocol [O]; the rest is this package's.
func noAction(action, v string, writes bool) error {
	also := "this is cfnlocal, whose API only reads; its commands deploy and delete, and so does cfnlocal serve --deploy"
	if writes {
		also = strings.Join(slices.Sorted(maps.Keys(orders)), ", ") + ": this is cfnlocal"
	}
	return &RefusalError{http.StatusBadRequest, "InvalidAction", fmt.Sprintf("Could not find operation %s for version %s. "+
		"Here are, for version %s, DescribeStacks, DescribeStackEvents, DescribeStackResource, DescribeStackResources, ListStackResources, ListStacks, GetTemplate and GetTemplateSummary, and %s",
		shorten(action), shorten(cmp.Or(v, "NO_VERSION_SPECIFIED")), version, also)}
}

// invalid is the error for parameters with which nothing can be done.
func invalid(format string, args ...any) error {
	return &RefusalError{http.StatusBadRequest, "ValidationError", fmt.Sprintf(format, args...)}
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
	return &RefusalError{http.StatusInternalServerError, "InternalFailure", text}
}

// shorten keeps an error readable, whatever was sent.
func shorten(s string) string { return printable.Cut(s, 2000) } // longer than any ARN

// pageSize is how many rows are on a page. AWS's pages end at 1 MB [D]; that they have 100 rows at
// most was observed of events [O], and is assumed of stacks [?].
const pageSize = 100

// maxToken is how long a NextToken can be, by the API's model.
const maxToken = 1024

// token makes a NextToken: where the next page of an action about a subject begins.
func (c *call) token(subject, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.text("Action") + "\n" + subject + "\n" + place))
}

// place reads the NextToken of a request, or returns "" if there is none. One that is of another
// action or subject is refused; AWS's words for that are known of another action alone [O].
func (c *call) place(subject string) (string, error) {
	if !c.values.Has("NextToken") {
		return "", nil
	}
	text := c.text("NextToken")
	switch {
	case text == "":
		return "", invalidValue(text, "NextToken", "Member must have length greater than or equal to 1")
	case len(text) > maxToken:
		return "", invalidValue(text, "NextToken", "Member must have length less than or equal to "+strconv.Itoa(maxToken))
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	place, ok := strings.CutPrefix(string(decoded), c.text("Action")+"\n"+subject+"\n")
	isPlace := ok && place != ""
	if err != nil || !isPlace {
		return "", badToken(text)
	}
	return place, nil
}

// index is place as a number from 1 to most, and otherwise if there is no NextToken.
func (c *call) index(subject string, otherwise, most int) (int, error) {
	place, err := c.place(subject)
	if err != nil || place == "" {
		return otherwise, err
	}
	n, err := strconv.Atoi(place)
	if err != nil || n < 1 || n > most {
		return 0, badToken(c.text("NextToken"))
	}
	return n, nil
}

func badToken(text string) error { return invalid("%s is not a valid NextToken", text) }
