package play

// Plays and judges a twin: another thing that bears the resource's StableID, as a second delivery of a Create makes while
// searches do not show the first.

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A twins holds the twin of a history. If the handler makes no second thing of one StableID, there is none.
type twins struct {
	event   []byte // the Create's of the resource
	version string // that it deploys
	first   bool   // the twin is made before the resource, whose Create does not find it at first
	id      string
	state   any // before the operation
}

// makeTwin has another delivery of the resource's Create make a thing: at once, or just before the Create is delivered.
func (h *historyRun) makeTwin(testing.TB, operation) {
	h.service.Around = nil // its part in it cannot be told from the resource's
	if h.twins.event == nil {
		h.twins.first = true
		h.stack.HideFromFind()
		return
	}
	h.deliverTwin()
}

// seeCreate sees each Create of the resource, which deploys a version, before it is delivered.
func (h *historyRun) seeCreate(version string, event []byte) {
	if h.twins.event == nil {
		if h.twins.event, h.twins.version = event, version; h.twins.first {
			h.deliverTwin()
		}
	}
}

// deliverTwin delivers the Create once more, as another request.
func (h *historyRun) deliverTwin() {
	req, err := answercheck.ReadRequest(h.twins.event)
	if err != nil {
		return
	}
	another := []byte("b7" + req.RequestID[min(2, len(req.RequestID)):])
	event := bytes.ReplaceAll(h.twins.event, []byte(req.RequestID), another)
	h.twins.id = h.createdByHand(h.service, event)
	h.twins.state = h.stateOf(h.twins.id)
}

// createdByHand delivers a Create to a new process, and returns the ID of what it has made, or "". Find is not called.
func (h *historyRun) createdByHand(in Service, event []byte) string {
	req, err := answercheck.ReadRequest(event)
	if err != nil {
		return ""
	}
	// It has the time of an invocation, as any delivery has.
	ctx, cancel := context.WithTimeout(h.ctx, h.c.timeout())
	defer cancel()
	bodies, err := followRecovered(hook.WithCalls(ctx, findsNothing), in.Function, "Create", event)
	if err != nil || len(bodies) != 1 {
		return ""
	}
	a, err := answercheck.Read(req, bodies[0])
	if err != nil || a.Status != "SUCCESS" {
		return ""
	}
	return a.PhysicalResourceID
}

// createOf is createdByHand for an event of the Contract's type.
func (h *historyRun) createOf(in Service, e simulate.Event) string {
	if h.c.ResourceType != "" {
		e.ResourceType = h.c.ResourceType
	}
	return h.createdByHand(in, e.Encode())
}

// isTwin reports whether an ID is the twin's.
func (h *historyRun) isTwin(id string) bool { return id == h.twins.id && id != h.id }

// judgeFind judges an Update back to the properties that the resource has, as a rollback sends it: a Find that is called with the
// resource's ID returns that. One that comes before it may have been too early for the service to show what is new.
func (h *historyRun) judgeFind(op operation, r simulate.Request) {
	switch {
	case h.twins.id == "", r.Type != "Update", r.PhysicalID != h.id:
		return
	case !reflect.DeepEqual(r.Properties(), h.c.properties(h.Version)):
		return
	}
	// One delivery may come too early; what counts is that none of its Finds returned the ID.
	for _, d := range r.Deliveries {
		var returned []string
		for _, c := range d.Calls {
			if did(c) == "Find" && c.PhysicalID == h.id {
				returned = append(returned, c.Returned)
			}
		}
		if len(returned) > 0 && lacks(returned, h.id) {
			h.record(findsTwin, op, "Find was called with the PhysicalID %s, whose thing was made with the StableID, and returned %q.", h.id, returned[0])
		}
	}
}

// judgeTwin judges that an Update leaves the twin as it is, unless Find has returned it.
func (h *historyRun) judgeTwin(op operation, r simulate.Request) {
	was := h.twins.state
	h.twins.state = h.stateOf(h.twins.id)
	switch {
	case r.Type != "Update", isNothing(was), !h.isTwin(h.twins.id), !h.isTouched(h.twins.version, was, h.twins.state):
		return
	}
	all := scene{requests: h.stack.Requests()}.calls()
	if slices.ContainsFunc(all, func(c simulate.Call) bool { return did(c) == "Find" && c.Returned == h.twins.id }) {
		return
	}
	does := "changes"
	if isNothing(h.twins.state) {
		does = "removes"
	}
	h.record(twinTouched, op, "The Update of %s %s %s.", r.PhysicalID, does, h.twins.id)
}
