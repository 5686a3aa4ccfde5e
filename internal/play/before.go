package play

// Plays and judges things that the program before this one has made: as the Service's Before does, or under an ID that this
// program would not give. The latter need not be as a thing of this program's is, and without the Service's Occupy there is
// nothing under the ID: an Update may fail, but it neither makes another thing nor answers another ID.

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A programBefore is the function of the program before, which has the Service make its thing.
type programBefore struct{ make func() (physicalID string) }

func (p programBefore) Create(_ context.Context, req *cfnresource.CreateRequest[map[string]any]) (data map[string]any, err error) {
	req.Created(p.make())
	return nil, nil
}

func (p programBefore) Update(context.Context, *cfnresource.UpdateRequest[map[string]any]) (data map[string]any, err error) {
	return nil, errOver
}

func (p programBefore) Delete(context.Context, *cfnresource.DeleteRequest[map[string]any]) error {
	return errOver
}

var errOver = errors.New("the program before has been replaced")

// A succession is a process of a function whose code was replaced.
type succession struct {
	over       *atomic.Bool
	old, today simulate.Function
}

func (s succession) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if s.over.Load() {
		return s.today.Invoke(ctx, payload)
	}
	return s.old.Invoke(hook.WithCalls(ctx, notTheHandlers), payload) // whose calls are not told
}

// notTheHandlers is the hook.Func of a program that is not the handler under test.
func notTheHandlers(_ context.Context, _ hook.Call, method hook.Method) (string, error) {
	return method()
}

// function returns what makes the processes of a history: after "before" and the like, the first operation runs in the
// program before.
func (h *historyRun) function(t testing.TB) func() simulate.Function {
	makes := h.makeBefore
	switch {
	case h.isForeign():
		makes = func() string { return h.makeForeign(t) }
	case h.service.Before == nil, !h.History.has(before):
		return h.service.Function
	}
	old := cfnresource.New(programBefore{func() (id string) { simulate.ByOthers(func() { id = makes() }); return id }}, func(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) })
	return func() simulate.Function { return succession{&h.over, old, h.service.Function()} }
}

// makeBefore makes the thing of the first operation as the program before did.
func (h *historyRun) makeBefore() (physicalID string) {
	made := h.c.Properties
	for _, op := range slices.Backward(h.History) {
		if op.deploys() {
			made = h.c.version(op.What) // the first one in the end
		}
	}
	return h.service.Before(h.c.typed(made))
}

// hasBefore reports whether the Service can make a thing as a program before this one did.
func (c *Contract) hasBefore(t testing.TB) bool {
	has, _ := c.once("has Before", func() any { return c.New(t).Before != nil }).(bool)
	return has
}

// typed returns properties in the type of the Contract's: properties with a change are in the form that is sent.
func (c *Contract) typed(props any) any {
	t := reflect.TypeOf(c.Properties)
	isPointer := t.Kind() == reflect.Pointer
	if isPointer {
		t = t.Elem()
	}
	raw, _ := props.(map[string]any)
	if raw == nil {
		return props
	}
	// As the SDK decodes what CloudFormation sends.
	schema, err := properties.SchemaOf(t)
	text, errText := json.Marshal(raw)
	if errors.Join(err, errText) != nil {
		return props
	}
	into := reflect.New(t)
	if schema.Decode(text, into.Interface()); isPointer {
		return into.Interface()
	}
	return into.Elem().Interface()
}

// isOfBefore reports whether an operation may change a thing of the program before in place, replace it or be refused.
func (h *historyRun) isOfBefore(was, now string) bool {
	if was == "" || sameIdentity(was, now) { // there is none, or it stays
		return false
	}
	return h.History.has(before)
}

// theForeignID is an ID that no program would give.
const theForeignID = "made-by-an-older-program"

// A foreign thing is that of a history with the circumstance foreign-id, or native-id.
type foreign struct {
	id     string
	states []any // what State showed of it after each operation that succeeded
}

// isForeign reports whether the resource is a thing that the program before has made under an ID of its own.
func (h *historyRun) isForeign() bool { return h.History.has(foreignID, nativeID) }

// makeForeign is the Create of the program before.
func (h *historyRun) makeForeign(t testing.TB) (id string) {
	h.foreign.id = theForeignID
	if h.History.has(nativeID) {
		h.foreign.id = h.nativeID(t)
	}
	if h.service.Occupy != nil {
		h.service.Occupy(h.foreign.id)
	}
	return h.foreign.id
}

// nativeID returns the ID that this program gives to another resource of the stack.
func (h *historyRun) nativeID(t testing.TB) string {
	e := simulate.NewEvent("Create", "", h.c.Properties, nil)
	e.LogicalID = theSibling
	return h.createOf(h.c.New(t), e)
}

// judgeForeign judges an operation that ended well.
func (h *historyRun) judgeForeign(op operation) {
	if h.id != h.foreign.id {
		h.record(needlesslyReplaced, op, "The resource's physical ID was %s, and is now %s.", h.foreign.id, h.id)
	}
	others := slices.DeleteFunc(h.remainingBeside(h.id), h.isTwin)
	named := slices.IndexFunc(others, func(id string) bool { return strings.Contains(id, h.foreign.id) })
	switch {
	case len(others) == 0:
	case named >= 0 && !h.exists(h.id): // the handler has kept the ID, and the Service writes it in another form
		h.record(unplayable, h.History[0], "The Service's List has %s, but State shows nothing under %s, the ID by which the thing was asked for. Have State and List know a thing by the ID that an older program gave it, whatever its form.", others[named], h.id)
	default:
		h.record(secondThing, op, "%s", h.besideIt(others))
	}
	switch {
	case h.service.Occupy == nil, h.service.State == nil:
		return
	}

	// What the Updates have changed: the thing may have been as one of them has it, and not as both have it.
	state := h.service.State(h.id)
	if len(h.foreign.states) == 0 && isNothing(state) {
		h.record(unplayable, h.History[0], "The Service's Occupy makes nothing that State shows: State returns nil for %s. If the service's IDs have one form, nothing can be under such an ID.", h.id)
	}
	h.foreign.states = append(h.foreign.states, state)
	const toInPlaceAndBack = foreignID + " " + original + " " + inPlace + " " + original
	hasChanged := slices.ContainsFunc(h.foreign.states, func(s any) bool { return differ(s, h.foreign.states[0]) })
	switch {
	case hasChanged, h.History.String() != toInPlaceAndBack, len(h.foreign.states) < 3:
	default:
		h.record(changesNothing, op, "The Updates of %s succeed, but change nothing.", h.id)
	}
}

// noteRefused notes the first Update to InPlace that fails. It is a harm if one succeeds with a native ID.
func (h *historyRun) noteRefused(op operation, r simulate.Request) {
	switch {
	case h.refusedForeign != nil, len(h.foreign.states) == 0: // it is known, or there is nothing to update
	case op.What != inPlace, r.Type != "Update":
	case r.Outcome == string(engine.Failed):
		h.refusedForeign = h.newFinding(failsWithoutCause, op, "The Update of "+r.PhysicalID+" fails, but succeeds for the same thing under an ID of this program's form: accept IDs of any form.")
	}
}

// withNativeID returns the history with an ID of this program's form.
func (h history) withNativeID() history {
	h = slices.Clone(h)
	h[0].What = nativeID
	return h
}

// isUpdated reports whether a history has led to a settled version.
func (r *historyResult) isUpdated() bool {
	return r.found == nil && r.Reached.Status == lifecycle.StackUpdateComplete
}
