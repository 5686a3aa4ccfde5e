package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// An opening is the open of a Lazy, whose calls go in turn as its steps say. A step gets a channel
// that is closed at the end of the test. The last step is that of all later calls.
type opening struct {
	steps []func(end <-chan struct{}) (*finder, error)
	end   chan struct{}
	calls atomic.Int64
}

func openingOf(t *testing.T, steps ...func(<-chan struct{}) (*finder, error)) *opening {
	t.Helper()
	o := &opening{steps: steps, end: make(chan struct{})}
	t.Cleanup(func() { close(o.end) })
	return o
}

func (o *opening) open(context.Context) (*finder, error) {
	n := int(o.calls.Add(1))
	return o.steps[min(n, len(o.steps))-1](o.end)
}

// hangs ignores the end of its event, as a read from a connection that is dead does.
func hangs(end <-chan struct{}) (*finder, error) { <-end; return nil, errSome }

func works(<-chan struct{}) (*finder, error) { return &finder{}, nil }

func fails(<-chan struct{}) (*finder, error) { return nil, errSome }

// takes returns a step that does what then does after a while.
func takes(d time.Duration, then func(<-chan struct{}) (*finder, error)) func(<-chan struct{}) (*finder, error) {
	return func(end <-chan struct{}) (*finder, error) {
		<-time.After(d)
		return then(end)
	}
}

// An open that never returns fails its own event. The next one, a Delete too, opens anew beside it.
func TestLazyThatHangsFailsOnlyItsOwnEvent(t *testing.T) {
	for name, next := range map[string]payload{"Create": created(object{"RequestId": "r2"}), "Update": updated("svc-1", "a", "a"), "Delete": deleted("svc-1")} {
		subtest(t, name, func(t *testing.T) {
			o := openingOf(t, hangs, works)
			d := cfnresource.New(cfnresource.Lazy(o.open), silent)
			if got := invoke(t, d, created(nil)); got.Status != "FAILED" || !strings.Contains(got.Reason, "did not return within 27") {
				t.Errorf("%s (%s), want FAILED, and for how long it was waited", got.Status, got.Reason)
			}
			start := time.Now()
			if got := invoke(t, d, next); got.Status != "SUCCESS" || time.Since(start) > 10*time.Second {
				t.Errorf("%s (%s) after %s, want SUCCESS", got.Status, got.Reason, time.Since(start))
			}
		})
	}
}

// Of many events at once, those that wait for an open that hangs keep half of their time to open
// anew. Then the first can work as well.
func TestLazyThatHangsAndManyEventsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := openingOf(t, hangs, works)
		d := cfnresource.New(cfnresource.Lazy(o.open), silent)
		var wg sync.WaitGroup
		for i := range 50 {
			name := strconv.Itoa(i)
			wg.Go(func() {
				ev := []payload{
					created(object{"RequestId": name, "LogicalResourceId": "Topic" + name}),
					event("Delete", object{"RequestId": name, "LogicalResourceId": "Topic" + name, "PhysicalResourceId": "svc-" + name}),
				}[i%2]
				if got := invoke(t, d, ev); got.Status != "SUCCESS" {
					t.Errorf("event %d: %s (%s)", i, got.Status, got.Reason)
				}
			})
		}
		wg.Wait()
		if n := o.calls.Load(); n != 2 {
			t.Errorf("it was opened %d times", n)
		}
	})
}

// An open that is slow is waited for in half of its event's time.
func TestLazyThatIsSlowIsOpenedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := openingOf(t, takes(12*time.Second, works))
		d := cfnresource.New(cfnresource.Lazy(o.open), silent)
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				<-time.After(time.Duration(i) * time.Second)
				if got := invoke(t, d, created(object{"LogicalResourceId": "Topic" + strconv.Itoa(i)})); got.Status != "SUCCESS" {
					t.Errorf("%s (%s)", got.Status, got.Reason)
				}
			})
		}
		wg.Wait()
		if n := o.calls.Load(); n != 1 {
			t.Errorf("it was opened %d times", n)
		}
	})
}

// Calls that hang are bounded, since each keeps what it holds. An event says how many there are, and
// uses the first that returns after all.
func TestLazyThatAlwaysHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := openingOf(t, hangs, hangs, takes(4*time.Minute, works), fails)
		d := cfnresource.New(cfnresource.Lazy(o.open), silent)
		for i, reason := range []string{"did not return", "still hang: 1", "still hang: 2", "still hang: 3", "still hang: 3"} {
			got := invoke(t, d, created(object{"RequestId": strconv.Itoa(i)}))
			if got.Status != "FAILED" || !strings.Contains(got.Reason, reason) {
				t.Errorf("event %d: %s (%s), want %q", i, got.Status, got.Reason, reason)
			}
		}
		if n := o.calls.Load(); n != 3 {
			t.Errorf("it was opened %d times", n)
		}
		<-time.After(4 * time.Minute)
		if got := invoke(t, d, created(object{"RequestId": "last"})); got.Status != "SUCCESS" {
			t.Errorf("%s (%s), although an open has returned by now", got.Status, got.Reason)
		}
	})
}

// An event that waits for one of the calls that hang takes the place of one that fails in the end.
func TestLazyOpensAnewWhenOneThatHungFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := openingOf(t, hangs, hangs, takes(40*time.Second, fails), works)
		d := cfnresource.New(cfnresource.Lazy(o.open), silent)
		for i := range 3 {
			invoke(t, d, created(object{"RequestId": strconv.Itoa(i)}))
		}
		if got := invoke(t, d, created(object{"RequestId": "last"})); got.Status != "SUCCESS" {
			t.Errorf("%s (%s)", got.Status, got.Reason)
		}
	})
}

// What open itself says is the Reason, also where that comes at the end of its time.
func TestLazysReasonIsThatOfOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := cfnresource.New(cfnresource.Lazy(func(ctx context.Context) (*finder, error) {
			<-ctx.Done()
			<-time.After(10 * time.Millisecond)
			return nil, fmt.Errorf("dial db:5432: %w", ctx.Err())
		}), silent)
		if got := invoke(t, d, created(nil)); got.Status != "FAILED" || !strings.Contains(got.Reason, "dial db:5432") {
			t.Errorf("%s (%s)", got.Status, got.Reason)
		}
	})
}

// However open ends, its event is answered, and the next one opens anew.
func TestLazyWhoseOpenDoesNotReturn(t *testing.T) {
	for name, step := range map[string]func(<-chan struct{}) (*finder, error){
		"panics":             func(<-chan struct{}) (*finder, error) { panic("no settings") },
		"ends its goroutine": func(<-chan struct{}) (*finder, error) { runtime.Goexit(); return nil, nil },
	} {
		subtest(t, name, func(t *testing.T) {
			d := cfnresource.New(cfnresource.Lazy(openingOf(t, step, works).open), silent)
			start := time.Now()
			if got := invoke(t, d, created(nil)); got.Status != "FAILED" || time.Since(start) > 0 {
				t.Errorf("%s (%s) after %s, want FAILED at once", got.Status, got.Reason, time.Since(start))
			}
			if got := invoke(t, d, created(object{"RequestId": "r2"})); got.Status != "SUCCESS" {
				t.Errorf("%s (%s)", got.Status, got.Reason)
			}
		})
	}
}

// Where there is no dispatcher, the same holds for the methods.
func TestLazyThatHangsWithoutADispatcher(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := cfnresource.Lazy(openingOf(t, hangs, works).open)
		call := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			return h.Delete(ctx, &cfnresource.DeleteRequest[props]{})
		}
		if err := call(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want that its time is over", err)
		}
		if err := call(); err != nil {
			t.Error(err)
		}
	})
}

// A Lazy may be made before a test's bubble begins, and serve several: nothing of one waits in another.
func TestLazyServesSeveralBubbles(t *testing.T) {
	calls := 0
	d := cfnresource.New(cfnresource.Lazy(func(context.Context) (*finder, error) {
		<-time.After(time.Second)
		if calls++; calls < 3 {
			return nil, errSome
		}
		return &finder{}, nil
	}), silent)
	for i, want := range []string{"FAILED", "SUCCESS", "SUCCESS"} { // two events each
		bubble(t, func(t *testing.T) {
			var wg sync.WaitGroup
			for n := range 2 {
				wg.Go(func() {
					if got := invoke(t, d, created(object{"LogicalResourceId": "Topic" + strconv.Itoa(n)})); got.Status != want {
						t.Errorf("bubble %d: %s (%s)", i, got.Status, got.Reason)
					}
				})
			}
			wg.Wait()
		})
	}
}
