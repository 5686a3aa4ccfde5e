package intercept_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/intercept"
)

func TestDo(t *testing.T) {
	own, spoilt := errors.New("its own"), errors.New("spoilt")
	method := func() (string, error) { return "id", own }
	if id, err := intercept.Do(t.Context(), intercept.Call{}, method); id != "id" || !errors.Is(err, own) {
		t.Errorf("without a Func: %q, %v", id, err)
	}
	ctx := intercept.With(t.Context(), func(_ context.Context, c intercept.Call, m intercept.Method) (string, error) {
		id, err := m()
		if id != "id" || !errors.Is(err, own) || c.Method != "Create" {
			t.Errorf("the Func sees %q, %v of %s", id, err, c.Method)
		}
		return "", spoilt
	})
	if id, err := intercept.Do(ctx, intercept.Call{Method: "Create"}, method); id != "" || !errors.Is(err, spoilt) {
		t.Errorf("with a Func: %q, %v", id, err)
	}
}

type props struct {
	Name string `cfn:"createOnly"`
}

type nothing struct{}

// found is a handler all of whose methods can be called.
type found struct{ id string }

func (f found) Find(context.Context, *cfnresource.FindRequest[props]) (string, error) {
	return f.id, nil
}

func (found) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (res cfnresource.CreateResult[nothing], err error) {
	req.Track("tracked")
	res.PhysicalID = "made"
	return res, nil
}

func (found) Update(context.Context, *cfnresource.UpdateRequest[props]) (res cfnresource.UpdateResult[nothing], err error) {
	return res, nil
}

func (found) Delete(context.Context, *cfnresource.DeleteRequest[props]) error { return nil }

// The dispatcher has each method called through the context's Func, and takes
// its word for what was returned.
func TestDispatcherCallsThroughIt(t *testing.T) {
	p := props{Name: "a"}
	for _, test := range []struct {
		name  string
		found string
		event []byte
		want  []string
	}{
		{"create", "", cfntest.CreateEvent(p), []string{"Find  = ", "Create  = made, tracked"}},
		{"adopt", "there", cfntest.CreateEvent(p), []string{"Find  = there", "Update there = "}},
		{"update", "there", cfntest.UpdateEvent("there", p, p), []string{"Update there = "}},
		{"delete", "there", cfntest.DeleteEvent("there", p), []string{"Delete there = "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen []string
			watch := func(_ context.Context, c intercept.Call, m intercept.Method) (string, error) {
				id, err := m()
				line := c.Method + " " + c.PhysicalID + " = " + id
				if c.Tracked != nil {
					line += ", " + c.Tracked()
				}
				seen = append(seen, line)
				return id, err
			}
			process := func() cfntest.Handler {
				return cfnresource.New(found{test.found}, func(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) })
			}
			if a := cfntest.InvokeContext(intercept.With(t.Context(), watch), t, process(), test.event); a.Status != "SUCCESS" {
				t.Errorf("answered %+v", a)
			}
			if diff := cmp.Diff(test.want, seen); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}

			spoil := func(context.Context, intercept.Call, intercept.Method) (string, error) {
				return "", errors.New("spoilt")
			}
			if a := cfntest.InvokeContext(intercept.With(t.Context(), spoil), t, process(), test.event); a.Status != "FAILED" {
				t.Errorf("spoilt, it answered %+v", a)
			}
		})
	}
}
