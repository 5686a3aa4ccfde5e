package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/physicalid"
)

// How long CloudFormation waits for an answer, less what the answer itself and
// the way there take ("Resource type handler contract").
const (
	changeLimit = 55 * time.Second // of 60
	readLimit   = 25 * time.Second // of 30
)

// A call is one request, from its arrival to its answer.
type call struct {
	d      *Dispatcher
	r      *request
	back   *callback // or nil
	id     string    // of the resource, or ""
	props  members
	before members // of an UPDATE; without members if the request has none
	guard  guard.Guard

	redactor *redact.Redactor
	logger   *slog.Logger
	logs     *logs // or nil

	mu      sync.Mutex // guards what the calls of the inner Dispatcher leave here
	body    []byte
	code    cfnresource.Code
	next    *event.Chain
	pause   time.Duration                         // before the next call, or 0
	tried   bool                                  // Create was called
	made    string                                // the ID that Create has named
	adopted string                                // the ID that Update was called with in a CREATE
	none    bool                                  // Find has found nothing
	find    func(context.Context) (string, error) // asks Find once more; nil if it was not asked
}

// note sets something that the calls of the inner Dispatcher leave.
func (c *call) note(set func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set()
}

type callKey struct{}

// callOf returns the call that ctx is of, or nil.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// Invoke answers one request of the registry. A failure is an answer too, with a code of the
// contract. It returns an error only if the function is asked to describe itself and cannot:
// see [Options].
func (d *Dispatcher) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if d.opts.Schema != nil && event.IsDescribe(payload) {
		return d.describe()
	}
	r := new(request)
	err := json.Unmarshal(payload, r)
	if err != nil { // whose text can have some of the payload's
		err = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the payload is not a request of CloudFormation's registry: is the function invoked by something else?")
	}
	c := &call{d: d, r: r, guard: guard.Guard{Grace: time.Second}, redactor: redact.New(&d.secrets)}
	c.logs = c.openLog()
	// An error of the service's client may quote the credentials that came with the request.
	for _, keys := range []*credentials{r.Data.Caller, r.Data.Provider} {
		if keys != nil {
			c.redactor.Add(keys.SecretAccessKey, keys.SessionToken)
		}
	}
	limit := changeLimit
	if r.Action == read || r.Action == list {
		limit = readLimit
	}
	ctx = redact.NewContext(context.WithValue(ctx, callKey{}, c), c.redactor)
	handling, cancel := context.WithTimeoutCause(ctx, limit, guard.ErrOutOfTime)
	defer cancel()
	p := c.answer(handling, err)
	p.BearerToken = r.BearerToken
	level := slog.LevelInfo
	if p.Status == failed {
		level = slog.LevelError
	}
	c.log(ctx, level, string(r.Action)+" is answered "+string(p.Status), slog.String("type", d.typeName),
		slog.String("code", string(p.ErrorCode)), slog.String("message", p.Message))
	body, err := json.Marshal(p) //nolint:gosec // the token names the request, and is its sender's
	if err != nil {
		p = &progress{Status: failed, ErrorCode: cfnresource.CodeInternalFailure, Message: "the resource cannot be written as JSON", BearerToken: r.BearerToken}
		body, _ = json.Marshal(p) //nolint:gosec // as before
	}
	// Lambda freezes the function once this returns, and the log of a request in vain matters most.
	c.logs.flush(context.WithoutCancel(ctx))
	return body, nil
}

// answer answers the request, whatever happens. err is why it cannot be read, or nil.
func (c *call) answer(ctx context.Context, err error) (p *progress) {
	defer func() {
		if r := recover(); r != nil { // a bug of this package's
			p = c.fail(cfnresource.CodeInternalFailure, fmt.Sprintf("panic in the SDK: %v", r))
		}
	}()
	if c.d.err != nil {
		return c.fail(cfnresource.CodeInternalFailure, "the function is not configured as it must be: "+c.d.err.Error())
	}
	handle, known := actions[c.r.Action]
	if err == nil && !known {
		err = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the action is none of CREATE, READ, UPDATE, DELETE and LIST: nothing was done")
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return c.named(c.fail(cfnresource.CodeOf(err), err.Error()))
	}
	return handle(c, ctx)
}

var actions = map[action]func(*call, context.Context) *progress{
	create: (*call).create,
	read:   (*call).read,
	update: (*call).update,
	remove: (*call).delete,
	list:   (*call).list,
}

// check reads what all actions have in common.
func (c *call) check() (err error) {
	r := c.r
	changes := r.Action != read && r.Action != list
	if changes && r.BearerToken == "" {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the request has no bearerToken: nothing was done")
	}
	if r.ResourceType != "" && r.ResourceType != c.d.typeName {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the request is for another type than %s, which this function handles: nothing was done", c.d.typeName)
	}
	if caller := r.Data.Caller; caller != nil && !caller.complete() {
		return cfnresource.Errorf(cfnresource.CodeInvalidCredentials, "the request's callerCredentials are incomplete: nothing was done")
	}
	// The properties, and the secrets in them, before anything is said of them.
	m, ok := readMembers(r.Data.Properties)
	if !ok {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the request's resourceProperties are no object: nothing was done")
	}
	before, ok := readMembers(r.Data.Previous)
	if !ok {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the request's previousResourceProperties are no object: nothing was done")
	}
	c.id, c.props = c.d.res.own(m)
	_, c.before = c.d.res.own(before)
	c.redactor.Add(slices.Concat(c.d.res.secrets(c.props), c.d.res.secrets(c.before))...)
	// Which resource it is about, and where an earlier call left off.
	if c.id != "" && physicalid.Validate(c.id) != nil {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the request's %s is no ID that CloudFormation can keep: nothing was done", Identifier)
	}
	if c.back, err = callbackOf(r); err != nil {
		return err
	}
	if !changes && c.back != nil {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "a %s has no callbackContext: nothing was done", r.Action)
	}
	return nil
}

// fail returns the answer to what failed. Secrets are removed from text, and it is cut.
func (c *call) fail(code cfnresource.Code, text string) *progress {
	const longest = 1000 // of a message, in bytes
	return &progress{
		Status:    failed,
		ErrorCode: cmp.Or(code, cfnresource.CodeGeneralServiceException),
		Message:   c.redactor.Redact(text, longest),
	}
}

// named has the answer to a callback that goes no further name the resource, so that
// CloudFormation can delete what it made.
func (c *call) named(p *progress) *progress {
	if c.back == nil {
		return p
	}
	if id := cmp.Or(c.id, c.back.Created, c.back.Settled); id != "" {
		p.ResourceModel = c.open(id)
	}
	return p
}

// open returns the resource id with the properties that came and hold no secret, for
// an answer after which nothing goes on.
func (c *call) open(id string) members { return members(c.d.res.open(c.props)).with(id) }

// request returns the Request of a call that only reads.
func (c *call) request() cfnresource.Request {
	return cfnresource.Request{RequestID: c.r.BearerToken, StackID: cfnresource.StackID(c.stackID()), LogicalID: c.logicalID(), ResourceType: c.d.typeName}
}

// stackID returns the stack's ARN. Where there is no stack, as in Cloud Control,
// it is one of this very request's.
func (c *call) stackID() string {
	return cmp.Or(c.r.StackID, "arn:aws:cloudformation:"+c.r.Region+":"+c.r.AccountID+":stack/resource/"+c.r.BearerToken)
}

func (c *call) logicalID() string { return cmp.Or(c.r.Data.LogicalID, "resource") }

// A callback is what one call tells the next of the same request, as its
// callbackContext. CloudFormation keeps it, and sends it back.
type callback struct {
	Version int    `json:"cfnresource"`
	Action  action `json:"action"`
	Token   string `json:"token"`             // of the request
	Calls   int    `json:"calls"`             // how many there were
	Created string `json:"created,omitempty"` // the ID of what they created
	Settled string `json:"settled,omitempty"` // the ID of what is done, as Read does not show yet
	Reads   int    `json:"reads,omitempty"`   // how many calls Read has not shown it
	// Secrets are the names of the properties that came with a secret in them.
	Secrets []string `json:"secrets,omitempty"`
}

const callbackVersion = 1

// maxCalls bounds a chain. With the longest timeout that a schema may give,
// 2160 minutes, and the delay between calls, there are fewer.
const maxCalls = 1 << 16

// callbackOf returns the request's callbackContext, nil if it has none, and an error if it is none
// that this type answered to this request: with the callback if it is another request's.
func callbackOf(r *request) (*callback, error) {
	if isNull(r.CallbackContext) || string(bytes.TrimSpace(r.CallbackContext)) == "{}" {
		return nil, nil
	}
	c := new(callback)
	d := json.NewDecoder(bytes.NewReader(r.CallbackContext))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	valid := func(id string) bool { return id == "" || physicalid.Validate(id) == nil }
	isKnown := err == nil && c.Version == callbackVersion && c.Action == r.Action
	isCounted := c.Calls >= 1 && c.Calls <= maxCalls && c.Reads >= 0
	hasValidIDs := valid(c.Created) && valid(c.Settled)
	isOwn := isKnown && isCounted && hasValidIDs
	if !isOwn {
		return nil, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the callbackContext is none that this type answered to this %s: nothing was done", r.Action)
	}
	if c.Token != r.BearerToken {
		return c, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the callbackContext is that of another bearerToken: nothing was done")
	}
	return c, nil
}

// another returns what the call after this one is told.
func (c *call) another() *callback {
	n := callback{Version: callbackVersion, Action: c.r.Action, Token: c.r.BearerToken, Secrets: c.d.res.secretIn(c.props)}
	if c.back != nil {
		n = *c.back
	}
	n.Calls++
	return &n
}
