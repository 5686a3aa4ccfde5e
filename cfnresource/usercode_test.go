package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Whatever of the user's code runs on the way to the answer, it is answered.
func TestUserCodeCannotPreventTheAnswer(t *testing.T) {
	panics := func(context.Context, *create) (data, error) { return nil, badError{} }
	tests := []struct {
		name string
		d    invoker
	}{
		{"Error panics", dispatcher(creates(panics))},
		{"a typed nil", dispatcher(creates(func(context.Context, *create) (data, error) { var e *typedNil; return nil, e }))},
		{"a nil *Error", dispatcher(creates(func(context.Context, *create) (data, error) { var e *cfnresource.Error; return nil, e }))},
		{"MarshalJSON panics", dispatcher(creates(func(context.Context, *create) (data, error) { return data{"X": badData{}}, nil }))},
		{"the logger panics", dispatcher(creates(func(context.Context, *create) (data, error) { return nil, errSome }), func(o *cfnresource.Options) { o.Logger = slog.New(badLog{}) })},
		{"a middleware panics", dispatcher(&fake{}, func(o *cfnresource.Options) {
			o.Middleware = append(o.Middleware, func(context.Context, *cfnresource.Operation, func(context.Context) error) error { panic("no") })
		})},
		{"UnmarshalJSON panics", cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[struct{ Name badData }]) (res data, err error) {
			return res, nil
		}), silent)},
		{"Phase panics", dispatcher(creates(func(ctx context.Context, req *create) (data, error) { req.Phase(ctx); return nil, errSome }), func(o *cfnresource.Options) {
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) { panic("no") }
		})},
	}
	for _, tt := range tests {
		subtest(t, tt.name, func(t *testing.T) {
			if got := invoke(t, tt.d, created(nil)); got.Status != "FAILED" {
				t.Errorf("%s (%s), want FAILED", got.Status, got.Reason)
			}
		})
	}
}

type badError struct{}

func (badError) Error() string { panic("no") }

type typedNil struct{ text string }

func (e *typedNil) Error() string { return e.text }

type badData struct{}

func (badData) MarshalJSON() ([]byte, error) { panic("no") }

func (*badData) UnmarshalJSON(b []byte) error { panic("no") }

type badLog struct{}

func (badLog) Enabled(context.Context, slog.Level) bool { panic("no") }

func (badLog) Handle(context.Context, slog.Record) error { panic("no") }

func (l badLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l badLog) WithGroup(string) slog.Handler { return l }

// endless is an error that wraps itself, for as long as a stack would take to overflow.
type endless struct{ times *int }

func (endless) Error() string { return "again and again" }

func (e endless) Unwrap() error {
	if *e.times++; *e.times < 500_000 {
		return e
	}
	*e.times = 0 // for the next who looks through it
	return nil
}

// An error that wraps itself takes time, and not the process: a stack that
// overflows cannot be recovered, and nothing would be answered.
func TestErrorThatWrapsItself(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	if code := cfnresource.CodeOf(endless{new(int)}); code != "" {
		t.Errorf("the code is %q", code)
	}
	failing := &fake{onDelete: func(context.Context, *del) error { return endless{new(int)} }}
	if a := invoke(t, dispatcher(failing), deleted("svc-1")); a.Status != "FAILED" {
		t.Errorf("answered %s", a.Status)
	}
}

// Real events, and the answers to them that CloudFormation accepted: a handler
// that does what theirs did is answered for as theirs was.
func TestCapturedEvents(t *testing.T) {
	type observed struct {
		Message string
		Count   int
	}
	type echo struct {
		Echo        string
		Count       int
		RequestType string
	}
	const id = "voker-cloudformation-observed-resource"
	var got []observed
	h := &funcs[observed, echo]{
		create: func(req *cfnresource.CreateRequest[observed]) echo {
			got = append(got, req.Properties)
			return echo{req.Properties.Message, req.Properties.Count, "Create"}
		},
		update: func(req *cfnresource.UpdateRequest[observed]) echo {
			got = append(got, req.Properties, req.OldProperties)
			return echo{req.Properties.Message, req.Properties.Count, "Update"}
		},
		remove: func(req *cfnresource.DeleteRequest[observed]) { got = append(got, req.Properties) },
		id:     id,
	}
	d := cfnresource.New(h, silent)
	for _, name := range []string{"create", "update", "delete"} {
		request, err := os.ReadFile("testdata/captured/" + name + "-request.json")
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := os.ReadFile("testdata/captured/" + name + "-response.json")
		if err != nil {
			t.Fatal(err)
		}
		var want answer
		if err := json.Unmarshal(accepted, &want); err != nil {
			t.Fatal(err)
		}
		if name == "delete" {
			want.Data = nil // not supported in the answer to a Delete, which theirs sent all the same
		}
		if diff := cmp.Diff(want, invoke(t, d, func() []byte { return request })); diff != "" {
			t.Errorf("%s (-accepted +ours):\n%s", name, diff)
		}
	}
	first, second := observed{"hello from CloudFormation", 7}, observed{"updated from CloudFormation", 11}
	if diff := cmp.Diff([]observed{first, second, first, second}, got); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
}

// funcs is a Handler of three functions.
type funcs[P, D any] struct {
	create func(*cfnresource.CreateRequest[P]) D
	update func(*cfnresource.UpdateRequest[P]) D
	remove func(*cfnresource.DeleteRequest[P])
	id     string
}

func (f *funcs[P, D]) Create(_ context.Context, req *cfnresource.CreateRequest[P]) (D, error) {
	req.Created(f.id)
	return f.create(req), nil
}

func (f *funcs[P, D]) Update(_ context.Context, req *cfnresource.UpdateRequest[P]) (D, error) {
	return f.update(req), nil
}

func (f *funcs[P, D]) Delete(_ context.Context, req *cfnresource.DeleteRequest[P]) error {
	f.remove(req)
	return nil
}

// A handler that outlives its answer is waited for by the resource's next
// request: the Create that wakes up must not make its thing after the Delete.
func TestNextRequestWaitsForTheOneBefore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log []string
		h := &fake{
			onCreate: func(_ context.Context, req *create) (data, error) {
				<-time.After(40 * time.Second) // 30 are given
				log = append(log, "made")
				req.Created("late-1")
				return nil, nil
			},
			onDelete: func(context.Context, *del) error { log = append(log, "deleted"); return nil },
		}
		var out bytes.Buffer
		d := dispatcher(h, func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
		got := invoke(t, d, created(nil))
		if got.Status != "FAILED" || !strings.Contains(got.Reason, "Create did not return within 27.75s") {
			t.Errorf("%s (%s), want FAILED that names the operation and the time", got.Status, got.Reason)
		}
		invoke(t, d, deleted(got.PhysicalResourceId))
		if diff := cmp.Diff([]string{"made", "deleted"}, log); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		if !strings.Contains(out.String(), "late-1") {
			t.Errorf("the log does not name what was named after the answer:\n%s", &out)
		}
	})
}

// Other resources do not wait.
func TestOtherResourcesDoNotWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			if req.LogicalID == "Topic" {
				return ignoreContext()
			}
			return nil, nil
		})
		d := dispatcher(h)
		invoke(t, d, created(nil))
		start := time.Now()
		invoke(t, d, created(object{"LogicalResourceId": "Other"}))
		if time.Since(start) > 0 {
			t.Errorf("the other resource's Create took %s", time.Since(start))
		}
	})
}

// If the one before does not end, the request fails, with the ID that leads to what there may be.
func TestRequestThatCannotWaitLonger(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onUpdate: func(context.Context, *update) (res data, err error) {
			<-time.After(10 * time.Minute)
			return res, nil
		}}
		d := dispatcher(h)
		invoke(t, d, updated("svc-1", "a", "a"))
		got := invoke(t, d, updated("svc-1", "a", "a"))
		if got.Status != "FAILED" || got.PhysicalResourceId != "svc-1" || !strings.Contains(got.Reason, "still runs") {
			t.Errorf("%s %s (%s), want FAILED svc-1, since the one before still runs", got.Status, got.PhysicalResourceId, got.Reason)
		}
		if got := invoke(t, d, created(object{"RequestId": "r2"})); got.PhysicalResourceId != stable("a") {
			t.Errorf("Create: %s, want %s", got.PhysicalResourceId, stable("a"))
		}
		if got := invoke(t, d, deleted("svc-1")); got.Status != "SUCCESS" || h.calls[len(h.calls)-1] != "Delete svc-1" {
			t.Errorf("Delete: %s (%s), calls %q; want it to go on: a handler that hangs must not keep a stack", got.Status, got.Reason, h.calls)
		}
	})
}

// CloudFormation uses RequestIds again: another event with the same one is another request.
func TestSameRequestIDIsNotTheSameRequest(t *testing.T) {
	h := &fake{}
	d := dispatcher(h)
	invoke(t, d, created(nil))
	invoke(t, d, deleted(stable("a")))
	invoke(t, d, created(object{"age": time.Minute}))
	want := []string{"Create a", "Delete " + stable("a"), "Create a"}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
