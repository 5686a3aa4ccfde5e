package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A ResourceType is a type of CloudFormation's registry that is played: what its
// schema says, as far as CloudFormation acts on it. Properties are named with
// slashes between the names of nested ones: Endpoint/Address.
type ResourceType struct {
	Name string
	// PrimaryIdentifier are the properties that identify a resource: Ref gives
	// them, with | between them if they are several [D].
	PrimaryIdentifier []string
	CreateOnly        []string // a change of one replaces the resource [D]
	Fixed             bool     // it has no update handler: every change replaces the resource [D]
	ReadOnly          []string // what Fn::GetAtt gives [D]
	// Timeouts say how long CloudFormation goes on calling for a Create, an Update
	// or a Delete: two hours where there is none [D].
	Timeouts map[string]time.Duration
	// Accept returns a template's values with the schema's types of JSON, or an error if
	// the schema does not allow them.
	Accept func(values map[string]any) (map[string]any, error)
}

const (
	defaultTimeout = 2 * time.Hour // [D]
	// maxCalls bounds a request whose handler asks to be called again at once.
	maxCalls = 10000
	// maxRetries is how often a call is repeated that failed for a passing reason, by
	// its code; each pause is twice as long as the one before [?].
	maxRetries      = 4
	firstRetryDelay = 2 * time.Second
)

func (t *ResourceType) resolve(_ *Resource, values map[string]any) (res resolved, err error) {
	if t.Accept != nil {
		if values, err = t.Accept(values); err != nil {
			return res, err
		}
	}
	out, err := appendJSON(nil, values, false)
	return resolved{properties: Properties(out)}, err
}

func (t *ResourceType) address(q *Request, r *StackResource, _ *Options) {
	q.Calls = 1
	q.Deadline = q.SentAt.Add(cmp.Or(t.Timeouts[q.RequestType], defaultTimeout))
	if q.RequestType == "Create" {
		return
	}
	q.Properties = t.withIdentifier(q.Properties, r.PhysicalID, r.Attributes)
	if q.OldProperties != "" {
		q.OldProperties = t.withIdentifier(q.OldProperties, r.PhysicalID, r.Attributes)
	}
}

// withIdentifier adds the primary identifier to properties, as the model has it if that
// is the resource's: a part of an ID may contain a | itself, or be a number.
func (t *ResourceType) withIdentifier(p Properties, id string, model map[string]any) Properties {
	all := p.Exact()
	if all == nil {
		all = map[string]any{}
	}
	parts := strings.SplitN(id, "|", len(t.PrimaryIdentifier))
	known := t.id(model) == id
	for i, name := range t.PrimaryIdentifier {
		if _, has := lookUp(all, name); has || i >= len(parts) {
			continue
		}
		var part any = parts[i]
		if is, has := lookUp(model, name); known && has {
			part = is
		}
		setNested(all, name, part)
	}
	out, err := appendJSON(nil, all, false)
	if err != nil {
		return p
	}
	return Properties(out)
}

// lookUp follows a name with slashes.
func lookUp(v any, name string) (any, bool) {
	for step := range strings.SplitSeq(name, "/") {
		parent, _ := v.(map[string]any)
		var ok bool
		if v, ok = parent[step]; !ok {
			return nil, false
		}
	}
	return v, true
}

// setNested sets what a name with slashes leads to, and makes the objects on the way.
func setNested(in map[string]any, name string, v any) {
	for {
		first, rest, nested := strings.Cut(name, "/")
		if !nested {
			in[first] = v
			return
		}
		inner, ok := in[first].(map[string]any)
		if !ok {
			inner = map[string]any{}
			in[first] = inner
		}
		in, name = inner, rest
	}
}

// id returns the physical ID that a model has, or "" if a part of it is missing.
func (t *ResourceType) id(model map[string]any) string {
	var parts []string
	for _, name := range t.PrimaryIdentifier {
		v, _ := lookUp(model, name)
		part, err := scalar(v)
		if err != nil || part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "|")
}

func (t *ResourceType) replaces(r *StackResource) bool {
	is, was := r.Properties.Exact(), r.Old.Exact()
	return t.Fixed || slices.ContainsFunc(t.CreateOnly, func(name string) bool {
		a, _ := lookUp(is, name)
		b, _ := lookUp(was, name)
		return !reflect.DeepEqual(a, b)
	})
}

func (t *ResourceType) attribute(_ *Stack, r *StackResource, name string) (any, error) {
	path := strings.ReplaceAll(name, ".", "/")
	readOnly := slices.ContainsFunc(t.ReadOnly, func(known string) bool { return path == known || strings.HasPrefix(path, known+"/") })
	v, ok := lookUp(map[string]any(r.Attributes), path)
	switch {
	case !readOnly:
		return nil, fmt.Errorf("Template error: resource %s does not support attribute type %s in Fn::GetAtt", r.LogicalID, name) // [O]
	case !ok || v == nil:
		return nil, fmt.Errorf("Attribute '%s' does not exist", name) // [?]
	}
	return v, nil
}

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
