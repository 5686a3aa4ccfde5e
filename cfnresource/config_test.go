package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

type typo struct{ fake }

func (*typo) Find(ctx context.Context, req *cfnresource.FindRequest[props]) string { return "" }

type unrelated struct{ fake }

func (*unrelated) Find(name string) bool { return false }

type badProps struct {
	Name string `cfn:"createonly"`
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
	}{{"Create", "FAILED", marker}, {"Update", "FAILED", "svc-1"}, {"Delete", "FAILED", "svc-1"}} {
		fields := object{"ResourceType": "Custom::Other", "PhysicalResourceId": "svc-1"}
		if ev.requestType == "Create" {
			delete(fields, "PhysicalResourceId")
		}
		if got := invoke(t, m, event(ev.requestType, fields)); got.Status != ev.status || got.PhysicalResourceId != ev.id {
			t.Errorf("%s of another type: %s %s (%s)", ev.requestType, got.Status, got.PhysicalResourceId, got.Reason)
		}
	}
}

// Lazy opens the handler at the first event, and again if that failed.
func TestLazy(t *testing.T) {
	opened, h := 0, &finder{}
	open := func(context.Context) (*finder, error) {
		if opened++; opened == 1 {
			return nil, errSome
		}
		return h, nil
	}
	d := cfnresource.New(cfnresource.Lazy(open), silent)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	if got := invoke(t, d, created(nil)); got.Status != "FAILED" || !strings.Contains(got.Reason, errSome.Error()) {
		t.Errorf("%s (%s), want FAILED with the error of open", got.Status, got.Reason)
	}
	for _, ev := range []payload{created(object{"RequestId": "r2"}), updated("svc-1", "a", "a"), deleted("svc-1")} {
		if got := invoke(t, d, ev); got.Status != "SUCCESS" {
			t.Errorf("%s (%s), want SUCCESS", got.Status, got.Reason)
		}
	}
	want := []string{"Find a", "Create a", "Update svc-1", "Delete svc-1"}
	if diff := cmp.Diff(want, h.calls); diff != "" || opened != 2 {
		t.Errorf("opened %d times, calls (-want +got):\n%s", opened, diff)
	}
}

// A call whose context ends while another opens the handler touches nothing
// that the other writes: for the race detector.
func TestLazyWhileAnotherOpens(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		opening := make(chan struct{})
		h := cfnresource.Lazy(func(context.Context) (*fake, error) { close(opening); return &fake{}, nil })
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = h.Create(t.Context(), &create{}) })
		wg.Go(func() {
			<-opening
			if _, err := h.Create(ended, &create{}); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}

// What Lazy opens keeps all that it is, also behind an interface: a Finder is
// asked, and the Delete of an Action does not wait for a Create.
func TestLazyKeepsWhatTheHandlerIs(t *testing.T) {
	lazily := func(h cfnresource.Handler[props, data]) *cfnresource.Dispatcher {
		return cfnresource.New(cfnresource.Lazy(func(context.Context) (cfnresource.Handler[props, data], error) { return h, nil }), silent)
	}
	h := &finder{onFind: finds(map[string]string{"a": "svc-1"})}
	if got := invoke(t, lazily(h), created(nil)); got.PhysicalResourceId != "svc-1" || got.Status != "SUCCESS" {
		t.Errorf("%s %s (%s), want svc-1, which Find found, to be adopted", got.Status, got.PhysicalResourceId, got.Reason)
	}
	bubble(t, func(t *testing.T) {
		start := time.Now()
		if got := invoke(t, lazily(action[props, data]()), deleted(genID)); got.Status != "SUCCESS" || time.Since(start) > 0 {
			t.Errorf("%s after %s, want SUCCESS at once: an Action has nothing to delete", got.Status, time.Since(start))
		}
	})
}

// An Action runs on Create and each Update, under its StableID, and has nothing
// to delete.
func TestAction(t *testing.T) {
	var ids []string
	var olds []error
	var adopted []bool
	d := cfnresource.New(cfnresource.Action(func(_ context.Context, req *cfnresource.UpdateRequest[props]) (res data, err error) {
		ids, olds, adopted = append(ids, req.PhysicalID), append(olds, req.OldPropertiesErr), append(adopted, req.Adopted)
		res = data{"N": len(ids)}
		return res, nil
	}), silent)
	a, b := stable("a"), stable("b")
	if got := invoke(t, d, created(nil)); got.PhysicalResourceId != a || got.Data["N"] != "1" {
		t.Errorf("Create: %s %v", got.PhysicalResourceId, got.Data)
	}
	if got := invoke(t, d, updated(a, "a", "a")); got.PhysicalResourceId != a || got.Data["N"] != "2" {
		t.Errorf("Update: %s %v", got.PhysicalResourceId, got.Data)
	}
	if got := invoke(t, d, updated(a, "a", "b")); got.PhysicalResourceId != b || got.Data["N"] != "3" {
		t.Errorf("replacement: %s %v", got.PhysicalResourceId, got.Data)
	}
	if got := invoke(t, d, deleted(a)); got.Status != "SUCCESS" || len(ids) != 3 {
		t.Errorf("Delete: %s, run %d times", got.Status, len(ids))
	}
	if diff := cmp.Diff([]string{a, a, b}, ids); diff != "" {
		t.Errorf("IDs (-want +got):\n%s", diff)
	}
	if olds[0] == nil || olds[1] != nil || !slices.Equal(adopted, []bool{true, false, true}) {
		t.Errorf("OldPropertiesErr %v, Adopted %v; want them for the Creates only", olds, adopted)
	}
}

func TestPoll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n, start := 0, time.Now()
		err := cfnresource.Poll(t.Context(), 5*time.Second, func(context.Context) (bool, error) { n++; return n == 4, nil })
		if err != nil || n != 4 || time.Since(start) != 15*time.Second {
			t.Errorf("%v after %d calls in %s, want nil after 4 in 15s", err, n, time.Since(start))
		}
		if err := cfnresource.Poll(t.Context(), time.Second, func(context.Context) (bool, error) { return false, errSome }); !errors.Is(err, errSome) {
			t.Errorf("%v, want the error of done", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = cfnresource.Poll(ctx, 7*time.Second, func(context.Context) (bool, error) { return false, nil })
		if cfnresource.CodeOf(err) != cfnresource.CodeNotStabilized || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v (%s), want NotStabilized that wraps the context's error", err, cfnresource.CodeOf(err))
		}
		n = 0
		if err := cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { n++; return true, nil }); err == nil || n > 0 {
			t.Errorf("%v after %d calls, want an error and none: the context has ended", err, n)
		}
	})
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
}

// Phase is asked once for each event, for two seconds, and never makes an
// operation fail.
func TestPhase(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var asked atomic.Int32
		answers := map[string]func(ctx context.Context) (lifecycle.Phase, error){
			"told":   func(context.Context) (lifecycle.Phase, error) { return lifecycle.PhaseDeleting, nil },
			"fails":  func(context.Context) (lifecycle.Phase, error) { return lifecycle.PhaseDeleting, errSome },
			"panics": func(context.Context) (lifecycle.Phase, error) { panic("no") },
			"slow": func(context.Context) (lifecycle.Phase, error) {
				<-time.After(time.Minute)
				return lifecycle.PhaseDeleting, nil
			},
		}
		for name, answer := range answers {
			var got []lifecycle.Phase
			h := &fake{onDelete: func(ctx context.Context, req *del) error {
				got = append(got, req.Phase(ctx), req.Phase(ctx))
				return nil
			}}
			d := dispatcher(h, func(o *cfnresource.Options) {
				o.Phase = func(ctx context.Context, _ *cfnresource.Operation) (lifecycle.Phase, error) {
					asked.Add(1)
					return answer(ctx)
				}
			})
			asked.Store(0)
			start := time.Now()
			a := invoke(t, d, deleted("svc-1"))
			want := lifecycle.PhaseUnknown
			if name == "told" {
				want = lifecycle.PhaseDeleting
			}
			if a.Status != "SUCCESS" || asked.Load() != 1 || !slices.Equal(got, []lifecycle.Phase{want, want}) || time.Since(start) > 2*time.Second {
				t.Errorf("%s: %s, asked %d times in %s, phases %q; want %q", name, a.Status, asked.Load(), time.Since(start), got, want)
			}
		}
	})
	ctx := hook.WithPhase(t.Context(), lifecycle.PhaseUpdating)
	if got := (cfnresource.Request{}).Phase(ctx); got != lifecycle.PhaseUpdating {
		t.Errorf("WithPhase: %q", got)
	}
	if got := (cfnresource.Request{}).Phase(t.Context()); got != lifecycle.PhaseUnknown {
		t.Errorf("without: %q", got)
	}
}
