package cfnresource_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
)

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
		{"Continue without Phase", cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.Continue = func(context.Context, []byte) error { return nil } }), "Phase is not"},
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
