package play

// Judges what a handler refuses: properties that it does not accept, and Updates that it cannot make. A refusal needs a code, and
// what a Create accepts is valid.

import (
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// mayBeRefusal reports whether a request may have failed because its properties are invalid.
func (h *historyRun) mayBeRefusal(op operation, r simulate.Request) bool {
	switch {
	case r.Outcome != string(engine.Failed), h.found.is(panics):
		return false
	case h.isOfBefore(h.Version, op.What):
		return true
	case r.FaultHit:
		return false
	}
	return h.History.isChanged()
}

// judgeRefusal judges a request that failed for properties that may be invalid: they are not if a Create accepts them.
func (h *historyRun) judgeRefusal(op operation, r simulate.Request) {
	h.refusal = refusalOf(op, r)
	if h.how.learns {
		h.taught.refused[op.What] = h.refusal.text(r)
	}
	switch r.Type {
	case "Create":
		switch {
		case h.refusal.says():
		case kindOf(op.What).less:
			h.record(failsWithoutCause, op, "The Create %s, though its properties hold nothing beside those of a Create that succeeds.", failureText(r))
		}
	case "Update":
		isValid := h.History.isChanged() && h.learned.want[op.What] != nil
		switch {
		case h.refusal.ofUpdate(), h.refusal.code == cfnresource.CodeAlreadyExists: // which no Create meets
		case isValid:
			h.record(failsWithoutCause, op, "The Update %s, but a Create of the same properties succeeds.", failureText(r))
		}
	}
}

// isToNotUpdatable reports whether a request is an Update to Contract.NotUpdatable, and not one back from there.
func (h *historyRun) isToNotUpdatable(op operation, r simulate.Request) bool {
	switch {
	case op.What != notUpdatable, r.Type != "Update":
		return false
	}
	return reflect.DeepEqual(r.Properties(), h.c.properties(notUpdatable))
}

// judgeNotUpdatable judges an Update that cannot be made in place.
func (h *historyRun) judgeNotUpdatable(op operation, r simulate.Request) {
	switch {
	case r.Outcome == string(engine.Succeeded):
		h.record(takesNotUpdatable, op, "The Update to Contract.NotUpdatable was answered SUCCESS.")
	case !saysNotUpdatable(r):
		h.record(takesNotUpdatable, op, "The Update to Contract.NotUpdatable fails, but not with CodeNotUpdatable.")
	}
}

// undoesRefused reports whether a request is the rollback of an Update that said NotUpdatable, whose properties the thing need not
// have.
func (h *historyRun) undoesRefused(r simulate.Request) bool {
	return slices.ContainsFunc(h.stack.Requests(), func(q simulate.Request) bool {
		isWayBack := reflect.DeepEqual(q.OldProperties(), r.Properties()) && reflect.DeepEqual(q.Properties(), r.OldProperties())
		return isWayBack && q.Type == "Update" && saysNotUpdatable(q)
	})
}

// saysNotUpdatable reports whether a method returned CodeNotUpdatable.
func saysNotUpdatable(r simulate.Request) bool {
	return slices.ContainsFunc(r.Calls(), func(c simulate.Call) bool { return c.Code == string(cfnresource.CodeNotUpdatable) })
}

// A refusal is a handler's answer to properties that it does not accept.
type refusal struct {
	at   operation
	code cfnresource.Code // "" if it gives none

	inPlace bool // Update was called for it
}

// invalid reports whether the handler says that the properties, or the update to them, are invalid. What Draw returns is
// valid, and a number out of all proportion may be refused in any way.
func (r refusal) invalid() bool {
	if kindOf(r.at.What).name == drawn {
		return false
	}
	return r.says()
}

// says reports whether the handler says, if it has to, that it does not accept such properties.
func (r refusal) says() bool {
	if kindOf(r.at.What).vast {
		return true
	}
	return slices.Contains(refusing, r.code)
}

// text says how the request failed, and whether that was a refusal; "" if another account, or less Data, is enough.
func (r refusal) text(q simulate.Request) string {
	switch {
	case r.code == cfnresource.CodeServiceLimitExceeded, isTooLarge(q):
		return ""
	case r.says():
		return "is refused: " + q.Reason
	}
	return failureText(q)
}

// refusing are the codes by which a handler says that it does not accept properties.
var refusing = []cfnresource.Code{cfnresource.CodeInvalidRequest, cfnresource.CodeNotUpdatable, cfnresource.CodeServiceLimitExceeded}

// ofUpdate reports whether the handler says that an Update cannot lead to properties that a Create may accept.
func (r refusal) ofUpdate() bool {
	switch {
	case r.code == cfnresource.CodeNotUpdatable, kindOf(r.at.What).vast:
		return true
	case r.inPlace:
		return false
	}
	return r.says()
}

// refusalOf returns the refusal in a request that failed. If Validate refused the properties, no method was called.
func refusalOf(op operation, r simulate.Request) *refusal {
	said := &refusal{at: op, code: cfnresource.CodeInvalidRequest}
	for _, c := range r.Calls() {
		switch c.Method {
		case "Create", "Update":
			said.code, said.inPlace = cfnresource.Code(c.Code), c.Method == "Update"
		}
	}
	return said
}
