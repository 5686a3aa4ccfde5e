package play

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/simulate"
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
	return s.old.Invoke(ctx, payload)
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
	raw, isChanged := props.(map[string]any)
	if !isChanged {
		return props
	}
	schema, err := properties.SchemaOf(t)
	text, errText := json.Marshal(raw)
	if err != nil || errText != nil {
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
	if was == "" { // there is none
		return false
	}
	return h.History.has(before) && !sameIdentity(was, now)
}
