package cfnresource_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

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

// What passes, while the handler is opened, fails no request.
func TestLazyTriesAgainWhatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		d := cfnresource.New(cfnresource.Lazy(func(context.Context) (*finder, error) {
			if opened++; opened < 3 {
				return nil, cfnresource.Errorf(cfnresource.CodeThrottling, "too many requests")
			}
			return &finder{}, nil
		}), silent)
		if got := invoke(t, d, created(nil)); got.Status != "SUCCESS" || opened != 3 {
			t.Errorf("%s (%s), and it was opened %d times", got.Status, got.Reason, opened)
		}
	})
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

// What could not be opened says nothing of the resource, whatever its code.
func TestCodeOfLazysOpenIsNotTheResources(t *testing.T) {
	missing := cfnresource.Errorf(cfnresource.CodeNotFound, "the parameter /hub/token is not there")
	for name, d := range map[string]invoker{
		"a handler": cfnresource.New(cfnresource.Lazy(func(context.Context) (*fake, error) { return nil, missing }), silent),
		"a finder":  cfnresource.New(cfnresource.Lazy(func(context.Context) (*finder, error) { return nil, missing }), silent),
	} {
		for _, id := range []string{"svc-1", stable("a")} {
			if got := invoke(t, d, deleted(id)); got.Status != "FAILED" {
				t.Errorf("%s: Delete of %s is answered %s without the handler", name, id, got.Status)
			}
		}
	}
}
