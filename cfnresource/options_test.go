package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A middleware that returns before the method does, or catches its panic, makes
// no success of it: nobody knows what was done.
func TestMiddlewareReturnsBeforeTheMethod(t *testing.T) {
	slow := creates(func(context.Context, *create) (data, error) {
		<-time.After(time.Second)
		return data{"A": "b"}, nil
	})
	for _, tt := range []struct {
		name       string
		handler    *fake
		middleware cfnresource.Middleware
	}{
		{"while it runs", slow, func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
			go func() { _ = next(ctx) }()
			<-time.After(time.Millisecond)
			return nil
		}},
		{"when it may have ended", slow, func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
			go func() { _ = next(ctx) }()
			<-time.After(time.Second)
			return context.DeadlineExceeded
		}},
		{"after a panic", creates(func(context.Context, *create) (data, error) { panic("no") }),
			func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
				defer func() { _ = recover() }()
				return next(ctx)
			}},
		{"with an error after a panic", creates(func(context.Context, *create) (data, error) { panic("no") }),
			func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) (err error) {
				defer func() {
					_ = recover()
					err = errSome
				}()
				return next(ctx)
			}},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			d := dispatcher(tt.handler, func(o *cfnresource.Options) { o.Middleware = append(o.Middleware, tt.middleware) })
			if got := invoke(t, d, created(nil)); got.Status != "FAILED" || got.PhysicalResourceId != stable("a") {
				t.Errorf("%s %s (%s), want FAILED %s", got.Status, got.PhysicalResourceId, got.Reason, stable("a"))
			}
		})
	}
}

// The first middleware is outermost, and sees every call, each try of it.
func TestMiddleware(t *testing.T) {
	var seen []string
	mw := func(name string) cfnresource.Middleware {
		return func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
			seen = append(seen, fmt.Sprintf("%s %s %s", name, op.Name, op.PhysicalID))
			err := next(ctx)
			seen = append(seen, fmt.Sprintf("%s %v", name, err))
			return err
		}
	}
	d := dispatcher(&finder{}, func(o *cfnresource.Options) { o.Middleware = []cfnresource.Middleware{mw("outer"), mw("inner")} })
	invoke(t, d, created(nil))
	invoke(t, d, deleted("svc-1"))
	want := []string{
		"outer Find ", "inner Find ", "inner <nil>", "outer <nil>",
		"outer Create ", "inner Create ", "inner <nil>", "outer <nil>",
		"outer Delete svc-1", "inner Delete svc-1", "inner <nil>", "outer <nil>",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Run("one that does not call next", func(t *testing.T) {
		d := dispatcher(&fake{}, func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(context.Context, *cfnresource.Operation, func(context.Context) error) error { return nil }}
		})
		if got := invoke(t, d, deleted("svc-1")); got.Status != "FAILED" || !strings.Contains(got.Reason, "next") {
			t.Errorf("%s (%s), want FAILED: nothing was deleted", got.Status, got.Reason)
		}
	})
	t.Run("one that returns an error", func(t *testing.T) {
		d := dispatcher(&fake{}, func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(context.Context, *cfnresource.Operation, func(context.Context) error) error { return errSome }}
		})
		if got := invoke(t, d, deleted("svc-1")); got.Status != "FAILED" {
			t.Errorf("%s, want FAILED", got.Status)
		}
	})
	// What Create made is not said to be whole.
	t.Run("one that drops the method's error", func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			req.Created("svc-1")
			return data{"A": "b"}, cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "no more disks")
		})
		option, log := logged()
		got := expect(t, h, created(nil), "FAILED", "svc-1", option, func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
				_ = next(ctx)
				return nil
			}}
		})
		if !strings.Contains(got.Reason, "no more disks") || !strings.Contains(log.String(), "code=ServiceLimitExceeded") {
			t.Errorf("the Reason is %q, and logged is %s", got.Reason, log)
		}
	})
}

type typo struct{ fake }

func (*typo) Find(ctx context.Context, req *cfnresource.FindRequest[props]) string { return "" }

type unrelated struct{ fake }

func (*unrelated) Find(name string) bool { return false }

type badProps struct {
	Name string `cfn:"createonly"`
}

// A pin would be guessed from the StableID, which is a hash of it that anybody sees.
type pin struct {
	PIN string `cfn:"createOnly,secret"`
}

type badValidate struct{ Name string }

func (*badValidate) Validate(cfnresource.Request) error { return nil }

func action[P, D any]() cfnresource.Handler[P, D] {
	return cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[P]) (res D, _ error) {
		return res, nil
	})
}

// What cannot work is kept, told by Err, and answered: a program that ends
// before its first answer is an hour's wait.
func TestMisconfigurationIsAnswered(t *testing.T) {
	var none *fake
	var run func(context.Context, *update) (data, error)
	var open func(context.Context) (*fake, error)
	var zero cfnresource.Dispatcher
	cfnresource.Handle(&zero, "Custom::Topic", &fake{})
	dup := cfnresource.NewDispatcher(silent)
	cfnresource.Handle(dup, "Custom::Topic", &fake{})
	cfnresource.Handle(dup, "Custom::Topic", &fake{})
	tests := []struct {
		name string
		d    interface {
			invoker
			Err() error
		}
		want string
	}{
		{"a nil handler", cfnresource.New(none, silent), "nil"},
		{"a nil interface", cfnresource.New[cfnresource.Handler[props, data]](nil, silent), "nil"},
		{"a bad tag", cfnresource.New(action[badProps, data](), silent), "createonly"},
		{"properties that are no struct", cfnresource.New(action[int, data](), silent), "int"},
		{"Data that is no struct", cfnresource.New(action[props, string](), silent), "string"},
		{"Find with another signature", cfnresource.New(&typo{}, silent), "(context.Context, *cfnresource.FindRequest"},
		{"Validate with another signature", cfnresource.New(action[badValidate, data](), silent), "Validate"},
		{"a short IDLength", cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.IDLength = 19 }), "IDLength"},
		{"a negative time", cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.LostGrace = -1 }), "negative"},
		{"a host that is none", cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.ResponseHosts = []string{"http://example.com"} }), "example.com"},
		{"two handlers for one type", dup, "Custom::Topic"},
		{"a secret that is part of the identity", cfnresource.New(action[pin, data](), silent), "secret"},
		{"Action(nil)", cfnresource.New(cfnresource.Action(run), silent), "the handler is nil"},
		{"Lazy(nil)", cfnresource.New(cfnresource.Lazy(open), silent), "Lazy is nil"},
		{"Lazy of a misspelt Find", cfnresource.New(cfnresource.Lazy(func(context.Context) (*typo, error) { return new(typo), nil }), silent), "Find"},
		{"a nil Middleware", cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.Middleware = append(o.Middleware, nil) }), "Middleware"},
		{"Continue without Phase", cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.Continue = func(context.Context, []byte) error { return nil } }), "without Options.Phase"},
		{"an option that panics", cfnresource.New(&fake{}, silent, func(*cfnresource.Options) { panic("no") }), "an option panicked"},
		{"a Dispatcher of no constructor", &zero, "NewDispatcher"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.d.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Err: %v, want one that says %q", err, tt.want)
			}
			for _, ev := range []struct {
				payload
				status, id string
			}{
				{created(nil), "FAILED", marker},
				{updated("svc-1", "a", "b"), "FAILED", "svc-1"},
				{deleted("svc-1"), "FAILED", "svc-1"},
				{deleted(marker), "SUCCESS", marker},
			} {
				if got := invoke(t, tt.d, ev.payload); got.Status != ev.status || got.PhysicalResourceId != ev.id {
					t.Errorf("%s %s (%s), want %s %s", got.Status, got.PhysicalResourceId, got.Reason, ev.status, ev.id)
				}
			}
		})
	}
}

func TestWhatIsNoMisconfiguration(t *testing.T) {
	for name, d := range map[string]interface{ Err() error }{
		"a Find that has nothing to do with it": cfnresource.New(&unrelated{}),
		"Find":                                  cfnresource.New(&finder{}),
		"a map of properties":                   cfnresource.New(action[map[string]any, map[string]string]()),
		"Data of any type":                      cfnresource.New(action[props, any]()),
		"no Data":                               cfnresource.New(action[props, struct{}]()),
		"a nil option":                          cfnresource.New(&fake{}, nil),
		"the environment of a function":         cfnresource.NewDispatcher(),
	} {
		if err := d.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Dispatcher passes each type to its handler; one that nobody handles is answered.
func TestSeveralTypes(t *testing.T) {
	topic, queue := &fake{}, &finder{}
	m := cfnresource.NewDispatcher(silent)
	cfnresource.Handle(m, "Custom::Topic", topic)
	cfnresource.Handle(m, "Custom::Queue", queue)

	invoke(t, m, created(nil))
	invoke(t, m, created(object{"ResourceType": "Custom::Queue"}))
	if !slices.Equal(topic.calls, []string{"Create a"}) || !slices.Equal(queue.calls, []string{"Find a", "Create a"}) {
		t.Errorf("calls %q and %q", topic.calls, queue.calls)
	}
	for _, ev := range []struct {
		requestType, status, id string
	}{{"Create", "FAILED", marker}, {"Update", "FAILED", "svc-1"}, {"Delete", "FAILED", "svc-1"}, {"Delete", "SUCCESS", marker}} {
		fields := object{"ResourceType": "Custom::Other", "PhysicalResourceId": ev.id}
		if ev.requestType == "Create" {
			delete(fields, "PhysicalResourceId")
		}
		if got := invoke(t, m, event(ev.requestType, fields)); got.Status != ev.status || got.PhysicalResourceId != ev.id {
			t.Errorf("%s of another type: %s %s (%s)", ev.requestType, got.Status, got.PhysicalResourceId, got.Reason)
		}
	}
}

const question = `{"cfnresource":"describe"}`

// The types of every handler are described, and no method is called.
func TestDescribe(t *testing.T) {
	h := &fake{}
	got := map[string]string{}
	d := cfnresource.NewDispatcher(func(o *cfnresource.Options) {
		o.Describe = func(types []cfnresource.ResourceType) ([]byte, error) {
			for _, t := range types {
				got[t.Name] = t.Properties.String() + " " + t.Data.String()
			}
			return []byte("described"), nil
		}
	})
	cfnresource.Handle(d, "Custom::B", h)
	cfnresource.Handle(d, "", h)
	const of = "cfnresource_test.props map[string]interface {}"
	answer, err := d.Invoke(t.Context(), []byte(question))
	if diff := cmp.Diff(map[string]string{"": of, "Custom::B": of}, got); diff != "" || string(answer) != "described" || err != nil || len(h.calls) > 0 {
		t.Errorf("%s, %v, calls %q, types (-want +got):\n%s", answer, err, h.calls, diff)
	}
}

// What cannot be described is an error, and so is the question to a function
// that cannot describe itself: the asker gets it, and nobody is answered.
func TestDescribeFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		option func(*cfnresource.Options)
		want   string
	}{
		{"no option", nil, "no ResponseURL"},
		{"an error", func(o *cfnresource.Options) {
			o.Describe = func([]cfnresource.ResourceType) ([]byte, error) { return nil, errors.New("no words") }
		}, "no words"},
		{"a wrong configuration", func(o *cfnresource.Options) {
			o.FindLag = -1
			o.Describe = func([]cfnresource.ResourceType) ([]byte, error) { return []byte("{}"), nil }
		}, "FindLag"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := new(recorder)
			answers, err := send(t, dispatcher(&fake{}, tt.option), func() []byte { return []byte(question) }, rec)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(answers) > 0 {
				t.Errorf("%v, %v; want the error %q", answers, err, tt.want)
			}
		})
	}
}
