package cfnresource_test

import (
	"context"
	"log/slog"
	"runtime/debug"
	"testing"

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
