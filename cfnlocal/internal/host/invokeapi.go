package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// invokePath is the path of Lambda's Invoke (AWS Lambda API Reference, "Invoke").
const invokePath = "/2015-03-31/functions/{name}/invocations"

// maxSyncPayload is how long the payload of a synchronous invocation may be, in bytes.
const maxSyncPayload = 6 << 20

// invoke is Lambda's Invoke, for the process and what it starts. Signatures are
// not verified, and the function's role is not checked.
func (p *process) invoke(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Amzn-Requestid", uuid.NewString())
	kind := cmp.Or(r.Header.Get("X-Amz-Invocation-Type"), "RequestResponse")
	d, err := p.read(w, r, kind)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("X-Amzn-Requestid", d.id)
	w.Header().Set("X-Amzn-Trace-Id", d.trace)
	switch kind {
	case "DryRun":
		w.WriteHeader(http.StatusNoContent)
	case "Event":
		p.host.accept(w, d, p.function.name)
	default:
		p.host.respond(w, d)
	}
}

// read returns the delivery that a call of Invoke asks for, as the next link of the caller's chain.
func (p *process) read(w http.ResponseWriter, r *http.Request, kind string) (*delivery, error) {
	arn, err := resolve(p.function.ARN, r.PathValue("name"), r.URL.Query().Get("Qualifier"))
	if err != nil {
		return nil, err
	}
	limit := maxSyncPayload
	switch kind {
	case "RequestResponse", "DryRun":
	case "Event":
		limit = maxPayload
	default:
		return nil, invalid(kind, "invocationType", "Member must satisfy enum value set: [Event, RequestResponse, DryRun]")
	}

	// Read the payload.
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, tooLarge(kind, r.ContentLength)
	case err != nil:
		return nil, errNoJSON // the caller has ended, or its body was cut off
	case len(payload) == 0:
		payload = []byte("{}")
	case !json.Valid(payload):
		return nil, errNoJSON
	}

	// Find the function as it is now, and its place in the chain.
	if before := p.host.config.BeforeInvoke; before != nil {
		if err := before(arn); err != nil {
			return nil, err
		}
	}
	f := p.host.lookup(arn)
	if f == nil {
		return nil, &NotFoundError{arn}
	}
	so := readChain(r.Header.Get("X-Amzn-Trace-Id"))
	d := &delivery{function: f, id: uuid.NewString(), payload: payload, trace: so.header(arn), born: p.host.config.Clock.Now()}
	d.looped = so.count(arn) > maxChain && !f.Recursive
	return d, nil
}

// accept puts an event into its function's queue.
func (h *Host) accept(w http.ResponseWriter, d *delivery, caller string) {
	h.report(Event{Kind: Sent, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: caller})
	if faults := h.config.Faults; faults != nil && !d.looped {
		d.faults = faults(d.payload)
	}
	if slices.Contains(d.faults, Refuse) {
		err := notAuthorized(d.function.ARN)
		h.report(Event{Kind: Refused, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: err.Error()})
		refuse(w, err)
		return
	}
	if err := h.enqueue(d); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// respond invokes a function and answers with its result. It continues even if the
// caller does not wait.
func (h *Host) respond(w http.ResponseWriter, d *delivery) {
	switch {
	case d.looped:
		refuse(w, errRecursive)
		return
	case d.function.Unavailable:
		refuse(w, errNoConcurrency)
		return
	}
	result, err := h.call(context.Background(), d)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amz-Executed-Version", latest)
	if result.Kind != Succeeded {
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
	}
	_, _ = w.Write(result.Payload)
}

var (
	errQualifiers    = refused(http.StatusBadRequest, "InvalidParameterValueException", "The derived qualifier from the function name does not match the specified qualifier.")
	errNoJSON        = refused(http.StatusBadRequest, "InvalidRequestContentException", "Could not parse request body into json: it is not JSON")
	errNoConcurrency = refused(http.StatusTooManyRequests, "TooManyRequestsException", "Rate Exceeded.")
	// The message is this package's own.
	errRecursive = refused(http.StatusBadRequest, "RecursiveInvocationException", fmt.Sprintf("The function was invoked %d times in one chain of invocations, and Lambda ends the chain. Set RecursiveLoop to Allow if that is meant.", maxChain))
)

func refused(status int, code, message string) *RefusedError {
	return &RefusedError{Status: status, Code: code, Message: message}
}

// invalid is the error for a parameter that breaks a rule of the API's model.
func invalid(value, parameter, rule string) error {
	return refused(http.StatusBadRequest, "ValidationException", fmt.Sprintf("1 validation error detected: Value '%.200s' at '%s' failed to satisfy constraint: %s", value, parameter, rule))
}

// eventTooLarge and requestTooLarge are the errors for a payload beyond a limit. Their code on the wire is not
// that of the API Reference, which is RequestTooLargeException.
func eventTooLarge(size int) *RefusedError {
	return refused(http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", fmt.Sprintf("%d byte payload is too large for the Event invocation type (limit %d bytes)", size, maxPayload))
}

// tooLarge is the error for the payload of a call that names its size, or -1.
func tooLarge(kind string, size int64) error {
	if kind != "Event" {
		return requestTooLarge(maxSyncPayload)
	}
	return eventTooLarge(int(max(size, maxPayload+1)))
}

func requestTooLarge(limit int) *RefusedError {
	return refused(http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", fmt.Sprintf("Request must be smaller than %d bytes for the InvokeFunction operation", limit))
}

// notAuthorized is the error for a caller without a permission. Which one calls is made up: CloudFormation's role.
func notAuthorized(arn string) *RefusedError {
	e := refused(http.StatusForbidden, "AccessDeniedException", "")
	action, caller := "lambda:InvokeFunction", "arn:aws:sts::123456789012:assumed-role/cloudformation/AWSCloudFormation"
	if parts := strings.Split(arn, ":"); len(parts) > 5 {
		caller = strings.Join([]string{parts[0], parts[1], "sts", "", parts[4], "assumed-role/cloudformation/AWSCloudFormation"}, ":")
		if parts[2] == "sns" {
			action, e.Service, e.Code = "SNS:Publish", "AmazonSNS", "AuthorizationError"
		}
	}
	e.Message = fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s because no identity-based policy allows the %s action", caller, action, arn, action)
	return e
}

// refuse answers with an error, as the protocol restJson1 has it.
func refuse(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*RefusedError](err)
	if missing, is := errors.AsType[*NotFoundError](err); is {
		e, ok = refused(http.StatusNotFound, "ResourceNotFoundException", "Function not found: "+missing.ARN), true
	}
	if !ok {
		e = refused(http.StatusInternalServerError, "ServiceException", fmt.Sprintf("%.1000s", err))
	}
	whose := "User"
	if e.Status >= http.StatusInternalServerError {
		whose = "Service"
	}
	body, _ := json.Marshal(struct{ Type, Message string }{whose, e.Message}) // strings always marshal
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", e.Code)
	w.WriteHeader(e.Status)
	_, _ = w.Write(body)
}

// maxChain is how often a function may be invoked in a chain of invocations that
// invoke each other, unless its RecursiveLoop is Allow (AWS Lambda Developer
// Guide, "Use Lambda recursive loop detection": about 16).
const maxChain = 16

// A chain has the invocations that led to an invocation. Lambda recognises it by X-Ray's header, which
// the AWS SDKs copy from the invocation that they run in. A call without the header begins a chain.
type chain struct {
	root    string
	lineage []ancestor
}

// An ancestor is a function of a chain.
type ancestor struct {
	id    string // see chainID
	count int    // how often it was invoked again
}

const maxAncestors = 32

func newChain() chain {
	return chain{root: fmt.Sprintf("1-%08x-%s", uint32(time.Now().Unix()), randomHex(12))} //nolint:gosec // until 2106
}

var traceRoot = regexp.MustCompile(`^1-[0-9a-f]{8}-[0-9a-f]{24}$`)

// readChain reads the header of an invocation: Root=…;Parent=…;Sampled=0;Lineage=1:ID:COUNT,
// with |ID:COUNT for each further function. Lineage's form is known from headers
// that people have recorded. A header of another form begins a chain.
func readChain(header string) chain {
	c := newChain()
	if text, err := url.PathUnescape(header); err == nil { // the SDKs escape the bar
		header = text
	}
	for field := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(field, "=")
		switch {
		case name == "Root" && traceRoot.MatchString(value):
			c.root = value
		case name == "Lineage":
			for one := range strings.SplitSeq(value, "|") {
				parts := strings.Split(one, ":")
				count, err := strconv.ParseUint(parts[len(parts)-1], 10, 16)
				if err == nil && len(parts) > 1 && len(c.lineage) < maxAncestors {
					c.lineage = append(c.lineage, ancestor{parts[len(parts)-2], int(count)})
				}
			}
		}
	}
	return c
}

// count returns how often the function of an ARN would have been invoked if it were next in the chain.
func (c chain) count(arn string) int {
	for _, a := range c.lineage {
		if a.id == chainID(arn) {
			return a.count + 2
		}
	}
	return 1
}

// header returns X-Ray's header for the invocation of a function as the next of the chain.
func (c chain) header(arn string) string {
	lineage := []string{fmt.Sprintf("%s:%d", chainID(arn), c.count(arn)-1)}
	for _, a := range c.lineage {
		if a.id != chainID(arn) {
			lineage = append(lineage, fmt.Sprintf("%s:%d", a.id, a.count))
		}
	}
	return "Root=" + c.root + ";Parent=" + randomHex(8) + ";Sampled=0;Lineage=1:" + strings.Join(lineage, "|")
}

// chainID returns the ID of a function in a chain, whatever its qualifier.
func chainID(arn string) string {
	function, _ := unqualified(arn)
	sum := sha256.Sum256([]byte(function))
	return hex.EncodeToString(sum[:4])
}

// randomHex returns n random bytes in hexadecimal digits.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}
