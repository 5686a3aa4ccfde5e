package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// How long CloudFormation waits before the next call. A Poll has waited for most of a
// minute by then, unless it waits at longer intervals: those are the delay.
const (
	callbackDelay = 5 * time.Second
	longestDelay  = 12 * time.Hour
)

// How the rules of custom resources see an action.
var (
	requests = map[action]lifecycle.RequestType{create: lifecycle.Create, update: lifecycle.Update, remove: lifecycle.Delete}
	phases   = map[action]lifecycle.Phase{create: lifecycle.PhaseCreating, update: lifecycle.PhaseUpdating, remove: lifecycle.PhaseDeleting}
)

func (c *call) create(ctx context.Context) *progress {
	if c.back == nil && c.id != "" {
		if _, p := c.look(ctx, c.id); p != nil && p.ErrorCode != cfnresource.CodeNotFound {
			return p
		} else if p == nil {
			return c.fail(cfnresource.CodeAlreadyExists, "the resource exists already")
		}
		return c.fail(cfnresource.CodeInvalidRequest, Identifier+" is read-only: leave it out of what is to be created")
	}
	if c.back != nil && c.back.Settled != "" {
		return c.settled(ctx, c.back.Settled)
	}
	if p := c.taken(ctx); p != nil {
		return p
	}
	if p := c.incomplete(); p != nil {
		return p
	}
	a, p := c.dispatch(ctx)
	switch {
	case p != nil:
		return p
	case a.Status == "SUCCESS":
		return c.settled(ctx, a.PhysicalResourceID)
	}
	f := c.fail(a.code, a.Reason)
	if a.PhysicalResourceID == physicalid.NotCreated {
		return f
	}
	if id := c.left(ctx, a.PhysicalResourceID, f.ErrorCode); id != "" {
		f.ResourceModel = c.open(id) // CloudFormation deletes what it names
		if f.ErrorCode == cfnresource.CodeAlreadyExists {
			f.ErrorCode = cfnresource.CodeGeneralServiceException // a part of it does
		}
	}
	return f
}

// incomplete returns an answer if a property that came with a secret has come back in the callback
// without: what a method would write in its place is not what was asked for.
func (c *call) incomplete() *progress {
	if c.back == nil {
		return nil
	}
	has := c.d.res.secretIn(c.props)
	for _, name := range c.back.Secrets {
		if !slices.Contains(has, name) {
			return c.named(c.fail(cfnresource.CodeInvalidRequest, "the callback did not bring the writeOnly value in "+name+", which the request had: nothing was written"))
		}
	}
	return nil
}

// own returns the ID of what this CREATE has made, as far as it has named that.
func (c *call) own() string {
	if c.back != nil && c.back.Created != "" {
		return c.back.Created
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}

// taken returns an answer if what bears the StableID was there before a CREATE that may not adopt
// it: CloudFormation would delete it if this CREATE failed, and is about to if this one is its
// replacement, as of 60m that is written 1h. A handler with Find is asked for it by the rules.
func (c *call) taken(ctx context.Context) *progress {
	identity, known := c.d.res.identity(c.props)
	mayBeTaken := known && c.strict()
	if !mayBeTaken || c.d.res.finds() {
		return nil
	}
	_, p := c.look(ctx, physicalid.Stable(c.stackID(), c.logicalID(), identity, 0))
	switch {
	case p == nil:
		return c.fail(cfnresource.CodeAlreadyExists, errExists.Error())
	case p.ErrorCode == cfnresource.CodeNotFound, p.ErrorCode == cfnresource.CodeInvalidRequest:
		return nil // a service does not know such an ID, or does not take its form
	}
	return p // a service that is out of reach for Read is so for Create, too
}

// left returns the ID of what a CREATE that failed with code has left, as far as that is known: id,
// or what Find leads to, since no later request leads from the StableID to it. It is "" if nothing
// is known to be there. After AlreadyExists, id is another's, unless this CREATE has named it.
func (c *call) left(ctx context.Context, id string, code cfnresource.Code) string {
	c.mu.Lock()
	find, tried, none := c.find, c.tried, c.none
	c.mu.Unlock()
	exists := code == cfnresource.CodeAlreadyExists && id != c.own()
	foundNothing := find != nil && none
	isAnothers := exists && !foundNothing
	neverTried := c.back == nil && !tried
	switch {
	case isAnothers, neverTried:
		return ""
	case find == nil || c.strict():
		return id
	}
	if exists {
		id = ""
	} else if _, p := c.look(ctx, id); p == nil || p.ErrorCode != cfnresource.CodeNotFound {
		return id
	}
	// Nothing is there under id. If Find leads to a thing, that is what is left.
	found := ""
	if p := c.retry(ctx, "Find", func(ctx context.Context) (err error) {
		found, err = find(ctx)
		return err
	}); p != nil {
		return id
	}
	return found
}

func (c *call) update(ctx context.Context) *progress {
	if p := c.exists(ctx); p != nil {
		return p
	}
	if p := c.updatable(); p != nil {
		return p
	}
	if c.back != nil && c.back.Settled != "" {
		return c.settled(ctx, c.id)
	}
	if p := c.incomplete(); p != nil {
		return p
	}
	a, p := c.dispatch(ctx)
	switch {
	case p != nil:
		return p
	case a.Status == "SUCCESS":
		return c.settled(ctx, c.id)
	}
	return c.fail(a.code, a.Reason).about(c.open(c.id))
}

// updatable returns an answer if a createOnly property is to change: CloudFormation
// replaces a resource itself, by a CREATE and a DELETE.
func (c *call) updatable() *progress {
	was, wasKnown := c.d.res.identity(c.before)
	is, isKnown := c.d.res.identity(c.props)
	isReplaced := wasKnown && isKnown && was != is
	if len(c.before) == 0 || !isReplaced {
		return nil
	}
	return c.fail(cfnresource.CodeNotUpdatable, "a property that is createOnly cannot be updated: nothing was done").about(c.open(c.id))
}

func (c *call) delete(ctx context.Context) *progress {
	absent := c.exists(ctx)
	switch {
	case absent == nil:
	case absent.ErrorCode != cfnresource.CodeNotFound, c.id == "", c.r.StackID == "":
		return absent
	}
	// To a stack, NotFound means that the resource is gone for good. A Read may not yet
	// show what a CREATE that failed has made.
	if c.back == nil || c.back.Settled == "" {
		a, p := c.dispatch(ctx)
		switch {
		case p != nil:
			return p
		case a.Status == "SUCCESS":
		case absent != nil && (a.code == "" || a.code == cfnresource.CodeInvalidRequest):
			return absent // so does a Delete of nothing fail
		default:
			return c.fail(a.code, a.Reason).about(c.open(c.id))
		}
	}
	_, p := c.look(ctx, c.id)
	switch {
	case p == nil, p.ErrorCode.Transient(), ctx.Err() != nil:
		return c.unsettled(c.id, "it is not known to be gone")
	case p.ErrorCode != cfnresource.CodeNotFound:
		return p.about(c.open(c.id))
	case absent != nil:
		return absent
	}
	return &progress{Status: succeeded}
}

// exists returns an answer if the resource that is to be changed is not there. A
// call of a chain that began with what was there goes on, whatever there is.
func (c *call) exists(ctx context.Context) *progress {
	if c.id == "" {
		return c.fail(cfnresource.CodeNotFound, "the request names no resource: "+Identifier+" is missing. Nothing was done")
	}
	if c.back != nil {
		return nil
	}
	_, p := c.look(ctx, c.id)
	return p
}

// An answer is what a Dispatcher of custom resources answers.
type answer struct {
	Status             string
	Reason             string
	PhysicalResourceID string `json:"PhysicalResourceId"`
	code               cfnresource.Code
}

// dispatch has the rules of custom resources applied. It returns either their
// answer or IN_PROGRESS.
func (c *call) dispatch(ctx context.Context) (answer, *progress) {
	payload, err := c.event()
	if err == nil {
		err = c.invoke(ctx, payload)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.body == nil && c.next != nil {
		back := c.another()
		back.Created = c.next.CreatedID
		return answer{}, c.later(back, c.identifier(cmp.Or(back.Created, c.adopted)), cmp.Or(c.pause, callbackDelay))
	}
	var a answer
	if err == nil {
		err = json.Unmarshal(c.body, &a)
	}
	if err != nil {
		return answer{}, c.fail(cfnresource.CodeInternalFailure, err.Error())
	}
	a.code = c.code
	return a, nil
}

// later returns the answer to what goes on in another call.
func (c *call) later(back *callback, id string, delay time.Duration) *progress {
	if back.Calls > maxCalls {
		return c.fail(cfnresource.CodeNotStabilized, "the chain of callbacks does not end")
	}
	return &progress{Status: inProgress, CallbackContext: back, CallbackDelaySeconds: int(delay / time.Second), ResourceModel: c.props.with(id)}
}

// identifier returns the ID of what is worked on, as far as that is known: a resource that has not
// named itself bears its StableID, unless its IDs are the service's.
func (c *call) identifier(known string) string {
	switch {
	case c.id != "":
		return c.id
	case known != "" || c.d.res.finds():
		return known
	}
	identity, _ := c.d.res.identity(c.props)
	return physicalid.Stable(c.stackID(), c.logicalID(), identity, 0)
}
