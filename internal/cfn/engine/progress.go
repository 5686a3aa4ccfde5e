package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A progress is what a handler of a registered type answers, and what READ does.
type progress struct {
	Status               string          `json:"status"`
	ErrorCode            string          `json:"errorCode"`
	Message              string          `json:"message"`
	CallbackContext      json.RawMessage `json:"callbackContext"`
	CallbackDelaySeconds int             `json:"callbackDelaySeconds"`
	ResourceModel        Attributes      `json:"resourceModel"`
}

const (
	maxAnswerDepth   = 1000    // levels: the state that keeps it is read again, and adds to them
	maxMessage       = 4 << 10 // of a row [?], in bytes
	maxCallbackDelay = 43200   // seconds
)

// readProgress reads an answer. What it holds is kept, so that it is bounded.
func readProgress(answer []byte) (p progress, err error) {
	if depthOf(answer) > maxAnswerDepth {
		return p, errors.New("the handler's answer is nested too deep")
	}
	if err := json.Unmarshal(answer, &p); err != nil {
		return p, errors.New("the handler's answer is no ProgressEvent")
	}
	if c := p.CallbackContext; len(c) > 0 && c[0] != '{' && string(c) != "null" {
		return p, errors.New("the handler's callbackContext is no object")
	}
	for _, text := range []*string{&p.ErrorCode, &p.Message} {
		if len(*text) > maxMessage {
			*text = strings.ToValidUTF8((*text)[:maxMessage], "") + "…"
		}
	}
	p.CallbackDelaySeconds = min(max(p.CallbackDelaySeconds, 0), maxCallbackDelay)
	return p, nil
}

// depthOf returns how deep objects and lists are nested in JSON.
func depthOf(raw []byte) (deepest int) {
	depth, inString, escaped := 0, false, false
	for _, c := range raw {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

func (t *ResourceType) judge(q *Request, answer []byte, _ *Options) verdict {
	fail := func(code, message string) verdict {
		return verdict{outcome: Failed, physicalID: q.Made, reason: handlerReason(q, code, message)}
	}
	p, err := readProgress(answer)
	if err != nil {
		v := fail("InternalFailure", err.Error())
		v.outcome = Rejected
		return v
	}
	// The identifier: once a Create has named it, it stays the same.
	id := t.id(p.ResourceModel)
	known := cmp.Or(q.Made, id)
	if q.RequestType != "Create" {
		known = q.PhysicalID
	}
	// Failures, then answers that cannot be used, then progress, and success is left.
	switch {
	case p.Status == "FAILED" && p.ErrorCode == "NotFound" && q.RequestType == "Delete": // [I] what is to be gone is gone
		return verdict{outcome: Succeeded, physicalID: q.PhysicalID}
	case p.Status == "FAILED" && retryable(p.ErrorCode) && q.Retries < maxRetries:
		return verdict{outcome: Pending, physicalID: known, delay: firstRetryDelay << q.Retries, retry: true}
	case p.Status == "FAILED" && p.ErrorCode == "AlreadyExists": // [I] it is another one's
		return fail(p.ErrorCode, p.Message)
	case p.Status == "FAILED":
		v := fail(cmp.Or(p.ErrorCode, "InternalFailure"), p.Message)
		v.physicalID = known
		return v
	case p.Status != "IN_PROGRESS" && p.Status != "SUCCESS":
		return fail("InternalFailure", "the handler's answer has no status that there is")
	case known == "": // [D] also of the first IN_PROGRESS
		return fail("InternalFailure", "the handler's answer has no primary identifier")
	case id != "" && id != known, len(known) > MaxPhysicalID: // [D] that it stays the same, [?] what comes of it
		return fail("InternalFailure", "the handler's answer has a primary identifier that cannot be the resource's")
	case p.Status == "IN_PROGRESS" && q.Calls >= maxCalls:
		return fail("NotStabilized", "the handler asks to be called again without end")
	case p.Status == "IN_PROGRESS":
		model, err := appendJSON(nil, map[string]any(p.ResourceModel), false)
		if err != nil || p.ResourceModel == nil {
			model = []byte(q.Properties)
		}
		return verdict{outcome: Pending, physicalID: known, delay: time.Duration(p.CallbackDelaySeconds) * time.Second,
			context: p.CallbackContext, model: Properties(model)}
	}
	return verdict{outcome: Succeeded, physicalID: known, attributes: p.ResourceModel}
}

// stray returns the identifier that an answer to a Create names in place of its resource's, or when
// nobody waits for it any more: nothing else leads to it. It is "" if there is none.
func (t *ResourceType) stray(q *Request, answer []byte) string {
	p, err := readProgress(answer)
	id := t.id(p.ResourceModel)
	unread := q.Outcome == TimedOut || q.Outcome == Cancelled
	switch {
	case err != nil, id == "", q.RequestType != "Create", p.ErrorCode == "AlreadyExists", id == q.Made:
		return ""
	case q.Made != "", len(id) > MaxPhysicalID, unread:
		return id
	}
	return ""
}

// retryable reports whether CloudFormation makes a call again that failed with a code [D].
func retryable(code string) bool {
	return slices.Contains([]string{"ResourceConflict", "Throttling", "ServiceInternalError", "NetworkFailure"}, code)
}

// handlerReason is the reason in the row of a failed handler [O].
func handlerReason(q *Request, code, message string) string {
	return fmt.Sprintf("Resource handler returned message: %q (RequestToken: %s, HandlerErrorCode: %s)", message, q.RequestID, code)
}

func (t *ResourceType) timeout(q *Request) string {
	return "Resource timed out waiting for completion (RequestToken: " + q.RequestID + ")" // [O]
}

// ReadRequest returns a READ of a resource of the type. It is not one of the stack's requests.
func (t *ResourceType) ReadRequest(s *Stack, logicalID, physicalID, token string) *Request {
	return &Request{RequestType: "Read", RequestID: token, StackID: s.ID, LogicalID: logicalID, Type: t.Name, PhysicalID: physicalID,
		Properties: t.withIdentifier("{}", physicalID, nil), Calls: 1}
}

// A HandlerError is the error that a handler answered.
type HandlerError struct{ Code, Message string }

func (e *HandlerError) Error() string { return e.Code + ": " + e.Message }

// Read returns the resource that a READ is answered with. The error is a *HandlerError.
func (t *ResourceType) Read(q *Request, answer []byte) (map[string]any, error) {
	p, err := readProgress(answer)
	switch {
	case err != nil:
		return nil, &HandlerError{"InternalFailure", err.Error()}
	case p.Status == "FAILED":
		return nil, &HandlerError{cmp.Or(p.ErrorCode, "InternalFailure"), p.Message}
	case p.Status != "SUCCESS": // [D] a READ is never in progress
		return nil, &HandlerError{"InternalFailure", "a READ is answered SUCCESS or FAILED"}
	case t.id(p.ResourceModel) != q.PhysicalID:
		return nil, &HandlerError{"InternalFailure", "the answer to a READ has not the identifier that was asked for"}
	}
	return p.ResourceModel, nil
}
