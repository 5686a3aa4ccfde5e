package registrytest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/registry"
)

// How long CloudFormation waits for one answer ("Resource type handler contract").
var limits = map[string]time.Duration{"CREATE": time.Minute, "UPDATE": time.Minute, "DELETE": time.Minute, "READ": 30 * time.Second, "LIST": 30 * time.Second}

// A client plays CloudFormation.
type client struct {
	ctx context.Context
	wire
	start   Process
	process *registry.Dispatcher
	tokens  int
	stack   string // its ARN, or "" as in Cloud Control
	story   story
	other   model           // the resource beside, or nil
	named   map[string]bool // the identifiers that answers have named
	ready   bool            // the set-up is done
	methods methods

	// before is called before each call of a request but its first, and may start
	// another process; twice has each of these calls made twice. limit is how long a call
	// lasts for which CloudFormation would wait longer; 0 is no limit.
	before func()
	twice  bool
	limit  time.Duration
}

func newClient(w wire) *client {
	return &client{wire: w, before: func() {}, named: map[string]bool{}}
}

func (c *client) begin(ctx context.Context, p Process) {
	c.story.began = time.Now()
	c.start, c.process = p, p()
	c.calls(ctx, func(_ context.Context, _ hook.Call, method hook.Method) (string, error) { return method() })
}

func (c *client) calls(ctx context.Context, fn hook.Func) {
	c.ctx = hook.WithCalls(ctx, c.methods.watched(fn))
}

func (c *client) restart() {
	c.story.tell("another process starts")
	c.process = c.start()
}

// A request is a request of CloudFormation's, with its callbacks.
type request struct {
	action             string
	token              string
	now, before        model
	context, nextToken any
}

func (c *client) new(action string, now, before model) request {
	c.tokens++
	return request{action: action, token: fmt.Sprintf("token-%d", c.tokens), now: now, before: before}
}

// An answer is a ProgressEvent.
type answer struct {
	Status               string           `json:"status"`
	ErrorCode            cfnresource.Code `json:"errorCode"`
	Message              string           `json:"message"`
	CallbackContext      any              `json:"callbackContext"`
	CallbackDelaySeconds int              `json:"callbackDelaySeconds"`
	ResourceModel        model            `json:"resourceModel"`
	ResourceModels       []model          `json:"resourceModels"`
	NextToken            string           `json:"nextToken"`
}

// send makes one call, and checks the rules for all answers.
func (c *client) send(r request) (a answer, err error) {
	payload, err := json.Marshal(map[string]any{
		"awsAccountId": "123456789012", "region": "us-east-1", "bearerToken": r.token, "action": r.action,
		"callbackContext": r.context, "nextToken": r.nextToken, "stackId": c.stack,
		"requestData": map[string]any{"resourceProperties": r.now, "previousResourceProperties": r.before},
	})
	if err != nil {
		return a, err
	}
	begun, ctx := time.Now(), c.ctx
	if c.limit > 0 && r.action != "READ" && r.action != "LIST" {
		limited, cancel := context.WithTimeoutCause(ctx, c.limit, guard.ErrOutOfTime)
		defer cancel()
		ctx = limited
	}
	c.methods.swallowed() // forget a method that was given up before
	raw, err := c.process.Invoke(ctx, payload)
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err != nil {
		return a, fmt.Errorf("%s is not answered: %w", r.action, err)
	}
	c.story.tellCall(r, a)
	// What an answer names may exist, also if LIST does not show it.
	if id := a.ResourceModel.id(); id != "" && r.action != "READ" {
		c.named[id] = true
	}
	if took := time.Since(begun); took > limits[r.action] {
		return a, wrongWith("wait in Poll, and return when the context is done", "%s took %s, but CloudFormation waits only %s", r.action, took, limits[r.action])
	}
	if err := c.checkEnd(r, a); err != nil {
		return a, err
	}
	if err := c.checkForm(r, a); err != nil {
		return a, fmt.Errorf("%s is answered %s: %w", r.action, a.Status, err)
	}
	return a, c.checkSecrets(r, a)
}

// checkSecrets checks that no text of an answer quotes a secret, except in the properties
// that a request in progress gets back.
func (c *client) checkSecrets(r request, a answer) error {
	const cure = "leave the secret out of errors and attributes: a property tagged secret is no part of an answer"
	for name, value := range a.ResourceModel {
		_, sent := r.now[name]
		_, shown := c.shown(name, value)
		// CloudFormation takes the properties of the next call from this answer.
		isPassedOn := sent && a.Status == "IN_PROGRESS"
		isPublic := shown || isEmpty(value)
		isSecret := !isPublic || c.tells(value)
		if isSecret && !isPassedOn {
			return wrongWith(cure, "%s is answered with a secret's value in %s", r.action, name)
		}
	}
	if c.tells(a.Message) || c.tells(a.CallbackContext) {
		return wrongWith(cure, "%s is answered with a secret's value in its message or callbackContext", r.action)
	}
	return nil
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case string:
		return v == ""
	case map[string]any: // of which all members are secret
		return len(v) == 0
	}
	return value == nil
}

// tells reports whether a secret stands in a value of JSON.
func (c *client) tells(value any) bool {
	if c.secrets == nil {
		return false
	}
	var none redact.Redactor
	raw, _ := json.Marshal(value) // it came as JSON
	return c.secrets.RedactLines(string(raw), len(raw)) != none.RedactLines(string(raw), len(raw))
}

// checkForm checks the form of an answer: which members it may and must have.
func (c *client) checkForm(r request, a answer) error {
	// The members depend on the status and the action.
	answersOne := r.action == "CREATE" || r.action == "UPDATE" || r.action == "READ"
	switch a.Status {
	case "IN_PROGRESS":
		switch {
		case r.action == "READ" || r.action == "LIST":
			return errors.New("answer this action at once")
		case a.ErrorCode != "" || a.ResourceModels != nil:
			return errors.New("the answer has an errorCode or resourceModels")
		case a.ResourceModel.id() == "":
			return wrongWith(cureCreated, "the answer has no identifier")
		}
	case "SUCCESS":
		switch {
		case a.ErrorCode != "" || a.CallbackDelaySeconds != 0:
			return errors.New("the answer has an errorCode or a delay")
		case r.action == "DELETE" && a.ResourceModel != nil:
			return errors.New("the answer has a resourceModel")
		case r.action == "LIST" && a.ResourceModels == nil:
			return errors.New("the answer has no resourceModels")
		case answersOne && a.ResourceModel.id() == "":
			return errors.New("the answer has no identifier")
		}
	case "FAILED":
		switch {
		case !a.ErrorCode.Known():
			return fmt.Errorf("the errorCode %q is not one of CloudFormation's", a.ErrorCode)
		case a.Message == "" || a.CallbackDelaySeconds != 0 || a.ResourceModels != nil:
			return errors.New("the answer has no message, or it has a delay or resourceModels")
		}
	default:
		return errors.New("this status does not exist")
	}
	return nil
}

// complete sends a request and its callbacks until it succeeds or fails.
func (c *client) complete(r request) (a answer, err error) {
	begun, first := time.Now(), ""
	a, err = c.send(r)
	for err == nil && a.Status == "IN_PROGRESS" {
		if time.Since(begun) > c.timeout {
			return a, c.endless(r.action)
		}
		// The next call gets what this answer says, in place of what was requested.
		r.context, r.now = a.CallbackContext, a.ResourceModel
		first = cmp.Or(first, a.ResourceModel.id())
		guard.Sleep(c.ctx, time.Duration(a.CallbackDelaySeconds)*time.Second)
		c.before()
		a, err = c.send(r)
		if err == nil && c.twice {
			// The same callback once more, as if the answer to it had been lost.
			c.restart()
			a, err = c.send(r)
		}
		if id := a.ResourceModel.id(); err == nil && id != "" && id != first {
			return a, wrongWith(cureCreated, "%s names %s, but named %s before: a resource keeps its identifier", r.action, id, first)
		}
	}
	return a, err
}

// succeed completes a request, and returns an error unless it succeeds.
func (c *client) succeed(r request) (model, error) {
	a, err := c.complete(r)
	if err == nil && a.Status != "SUCCESS" {
		cure := ""
		if strings.Contains(a.Message, "Read does not tell") {
			cure = cureFound
		}
		err = wrongWith(cure, "%s failed: %s: %s", r.action, a.ErrorCode, a.Message)
	}
	return a.ResourceModel, err
}

// expectNotFound completes a request, and returns an error unless it fails with NotFound.
func (c *client) expectNotFound(r request) error {
	const code = cfnresource.CodeNotFound
	a, err := c.complete(r)
	switch {
	case err != nil:
		return err
	case a.Status != "FAILED":
		return fmt.Errorf("%s is answered %s, want FAILED with %s", r.action, a.Status, code)
	case a.ErrorCode != code:
		return fmt.Errorf("%s fails with %s (%s), want %s", r.action, a.ErrorCode, a.Message, code)
	}
	return nil
}

// listed returns all identifiers that LIST shows.
func (c *client) listed() (ids []string, err error) {
	const most = 10000 // pages
	r := c.new("LIST", nil, nil)
	for range most {
		a, err := c.complete(r)
		if err != nil || a.Status != "SUCCESS" {
			return nil, cmp.Or(err, fmt.Errorf("LIST is answered %s: %s", a.Status, a.Message))
		}
		for _, m := range a.ResourceModels {
			ids = append(ids, m.id())
		}
		if a.NextToken == "" {
			return ids, nil
		}
		r.nextToken = a.NextToken
	}
	return nil, fmt.Errorf("LIST has more than %d pages", most)
}

// there returns the identifiers of the resources that READ finds, of those that LIST
// shows and those that an answer has named, without the one beside. LIST has to show the
// same: no more, no less, and each once.
func (c *client) there() (ids []string, err error) {
	listed, err := c.listed()
	if err != nil {
		return nil, err
	}

	// READ also judges what LIST does not show: an ID that an answer has named.
	known := maps.Clone(c.named)
	for _, id := range listed {
		known[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		a, err := c.complete(c.new("READ", model{}.with(id), nil))
		shown := slices.Contains(listed, id)
		switch {
		case err != nil:
			return nil, err
		case a.Status != "SUCCESS" && a.ErrorCode != cfnresource.CodeNotFound:
			return nil, fmt.Errorf("READ of %s fails with %s (%s)", id, a.ErrorCode, a.Message)
		case shown != (a.Status == "SUCCESS"):
			return nil, wrongWith(cureList, "LIST and READ do not agree on %s: READ is answered %s, and LIST shows %q", id, a.Status, listed)
		case shown && id != c.other.id():
			ids = append(ids, id)
		}
	}

	// The resource beside is in the list, and none is there twice.
	if c.other != nil && !slices.Contains(listed, c.other.id()) {
		return nil, wrongWith(cureList, "LIST does not show %s, the resource beside", c.other.id())
	}
	if len(slices.Compact(slices.Sorted(slices.Values(listed)))) != len(listed) {
		return nil, wrongWith(cureList, "LIST shows one resource twice: %q", listed)
	}
	return ids, nil
}

// makeBeside makes the resource beside, if there is to be one.
func (c *client) makeBeside() (err error) {
	if c.beside != nil {
		if c.other, err = c.succeed(c.new("CREATE", c.wire.beside, nil)); err != nil {
			return fmt.Errorf("Inputs.Beside cannot be made: %w", err)
		}
	}
	c.ready = true
	return nil
}

// checkBeside checks that the resource beside is as it was.
func (c *client) checkBeside() error {
	if c.other == nil {
		return nil
	}
	if err := c.checkRead(c.other); err != nil {
		return wrongWith("change and delete only the resource under the physical ID", "The resource of Inputs.Beside is not as it was: %v", err)
	}
	return nil
}
