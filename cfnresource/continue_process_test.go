package cfnresource_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// newProcess returns a function all of whose invocations run in one process: a
// frozen one that is used again, or one that handles several at once.
func newProcess(t *testing.T, handler any) *lambda {
	t.Helper()
	l := &lambda{t: t, phase: always(lifecycle.PhaseUpdating)}
	l.warm = dispatcher(handler, l.options)
	return l
}

// readyAfter returns a wait for something that takes so long, from now on.
func readyAfter(d time.Duration) func(context.Context) error {
	start := time.Now()
	return func(ctx context.Context) error {
		return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return time.Since(start) >= d, nil })
	}
}

// waits is a handler that makes svc-1 and only waits.
func waits(wait func(context.Context) error) *fake {
	return &fake{
		onCreate: func(ctx context.Context, req *create) (data, error) {
			req.Created("svc-1")
			return nil, wait(ctx)
		},
		onUpdate: func(ctx context.Context, _ *update) (data, error) { return nil, wait(ctx) },
		onDelete: func(ctx context.Context, _ *del) error { return wait(ctx) },
	}
}

// A Continue that sends the event and does not return is no handler that still
// works: the next event of the resource in the same process does not wait for it.
func TestContinueThatHangsKeepsNobodyWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newProcess(t, waits(readyAfter(8*time.Minute)))
		first := true
		p.sent = func(context.Context, []byte) error {
			if first {
				first = false
				<-time.After(50 * time.Minute)
			}
			return nil
		}
		p.send(updated("svc-1", "a", "a"))
		p.wantsIn(3, "SUCCESS svc-1", "SUCCESS svc-1")
	})
}

// An error of Continue's that quotes what it was to send shows nobody the signed URL.
func TestContinueErrorWithTheURL(t *testing.T) {
	for name, failing := range map[string]func(payload []byte) error{
		"refused": func(payload []byte) error {
			return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "cannot post %s", payload)
		},
		"not known": func(payload []byte) error { return fmt.Errorf("cannot post %q", payload) },
	} {
		subtest(t, name, func(t *testing.T) {
			p := newProcess(t, waits(readyAfter(8*time.Minute)))
			p.sent = func(_ context.Context, payload []byte) error { return failing(payload) }
			p.send(updated("svc-1", "a", "a"))
			told := fmt.Sprint(p.logs.String(), p.answers, p.failures)
			if strings.Contains(told, "5ec2e7") || !strings.Contains(told, "cannot post") {
				t.Error(told)
			}
		})
	}
}

// What there is is updated and deleted, in as many invocations as there may be,
// though a Create is refused: the function's timeout is short.
func TestContinueUpdatesWithAShortTimeout(t *testing.T) {
	for name, event := range map[string]payload{"update": updated("svc-1", "a", "a"), "delete": deleted("svc-1")} {
		subtest(t, name, func(t *testing.T) {
			p := newProcess(t, waits(readyAfter(8*time.Minute)))
			p.timeout = 200 * time.Second
			p.send(event)
			p.wantsIn(3, "SUCCESS svc-1")
		})
	}
}

// An invocation that begins a second late has the same function's timeout: the
// chain is not refused where it would be at its beginning.
func TestContinueThatBeginsLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newProcess(t, waits(readyAfter(8*time.Minute)))
		p.timeout = 4 * time.Minute
		p.phase = func(*cfnresource.Operation) lifecycle.Phase {
			p.timeout = 4*time.Minute - 1100*time.Millisecond
			return lifecycle.PhaseCreating
		}
		p.send(created(nil))
		p.wantsIn(3, "SUCCESS svc-1")
	})
}

// A Poll that asks rarely notices all the same that the stack turns round.
func TestContinueEndsARarePoll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		turns := from(lifecycle.PhaseUpdating, 50*time.Second, lifecycle.PhaseUpdateRollback)
		p := newProcess(t, waits(func(ctx context.Context) error {
			return cfnresource.Poll(ctx, 4*time.Minute, func(context.Context) (bool, error) { return false, nil })
		}))
		p.phase = turns
		start := time.Now()
		p.send(updated("svc-1", "a", "a"))
		if p.wantsIn(1, "FAILED svc-1"); time.Since(start) > 80*time.Second {
			t.Errorf("it is noticed after %s", time.Since(start))
		}
	})
}

// And it asks no more often than it was told to.
func TestContinueLeavesARarePollRare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var asked []time.Duration
		p := newProcess(t, waits(func(ctx context.Context) error {
			start := time.Now()
			return cfnresource.Poll(ctx, 2*time.Minute, func(context.Context) (bool, error) {
				asked = append(asked, time.Since(start))
				return len(asked) == 3, nil
			})
		}))
		p.send(updated("svc-1", "a", "a"))
		p.wantsIn(1, "SUCCESS svc-1")
		if diff := cmp.Diff([]time.Duration{0, 2 * time.Minute, 4 * time.Minute}, asked); diff != "" {
			t.Error(diff)
		}
	})
}

// Errors that are joined go on if all of them only wait: errors.Join makes such of one and a nil.
func TestContinueWithJoinedErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		join func(error) error
		want string
		n    int
	}{
		"with nil":           {func(err error) error { return errors.Join(err, nil) }, "SUCCESS svc-1", 2},
		"two that wait":      {func(err error) error { return errors.Join(err, err) }, "SUCCESS svc-1", 2},
		"with another error": {func(err error) error { return errors.Join(err, errSome) }, "FAILED svc-1", 1},
		"the other way":      {func(err error) error { return fmt.Errorf("%w: %w", errSome, err) }, "FAILED svc-1", 1},
	} {
		subtest(t, name, func(t *testing.T) {
			wait := readyAfter(8 * time.Minute)
			p := newProcess(t, waits(func(ctx context.Context) error {
				if err := wait(ctx); err != nil {
					return tt.join(err)
				}
				return nil
			}))
			p.send(created(nil))
			p.wantsIn(tt.n, tt.want)
		})
	}
}

// An error that a handler has kept of an earlier invocation does not end this one:
// it would use up all invocations at once.
func TestContinueNotWithAnOldError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		wait := readyAfter(20 * time.Minute)
		var kept error
		p := newProcess(t, waits(func(ctx context.Context) error {
			if kept == nil {
				kept = wait(ctx)
			}
			return kept
		}))
		p.send(updated("svc-1", "a", "a"))
		p.wantsIn(2, "FAILED svc-1")
	})
}

// A question that fails at the end of an invocation does not end a chain: it is asked once more,
// and then the last answer counts if it is younger than half a minute.
func TestContinueWhereThePhaseIsNotTold(t *testing.T) {
	const end = 290 * time.Second // of the first invocation's Poll, which asks every 30 seconds
	for name, tt := range map[string]struct {
		from time.Duration
		most int // so many questions fail
		want string
		n    int
	}{
		"once at the beginning":     {0, 1, "SUCCESS svc-1", 2},
		"once at the end":           {end - time.Second, 1, "SUCCESS svc-1", 2},
		"at the end":                {end - time.Second, 2, "SUCCESS svc-1", 2},
		"for 50 seconds at the end": {end - 40*time.Second, 4, "FAILED svc-1", 1},
	} {
		subtest(t, name, func(t *testing.T) {
			p := newProcess(t, waits(readyAfter(8*time.Minute)))
			start, failed := time.Now(), 0
			p.phase = func(*cfnresource.Operation) lifecycle.Phase {
				if time.Since(start) >= tt.from && failed < tt.most {
					failed++
					return lifecycle.PhaseUnknown
				}
				return lifecycle.PhaseUpdating
			}
			p.send(updated("svc-1", "a", "a"))
			if p.wantsIn(tt.n, tt.want); failed != tt.most {
				t.Errorf("%d questions failed, want %d", failed, tt.most)
			}
		})
	}
}

// Two deliveries of one event in one process, at once: the one that waits for the
// other to an end is not answered FAILED, but comes again.
func TestContinueTwiceInOneProcess(t *testing.T) {
	for name, tt := range map[string]struct {
		event payload
		phase lifecycle.Phase
	}{
		"create": {created(nil), lifecycle.PhaseCreating},
		"update": {updated("svc-1", "a", "a"), lifecycle.PhaseUpdating},
		"delete": {deleted("svc-1"), lifecycle.PhaseDeleting},
	} {
		subtest(t, name, func(t *testing.T) {
			p := newProcess(t, waits(readyAfter(12*time.Minute)))
			p.duplicate = true
			p.phase = always(tt.phase)
			for _, a := range p.send(tt.event) {
				if a.Status != "SUCCESS" {
					t.Errorf("%s: %s", a.Status, a.Reason)
				}
			}
			if len(p.answers) == 0 {
				t.Error("there is no answer")
			}
		})
	}
}

// Without Continue both are answered, as ever: no other invocation would.
func TestTwiceInOneProcessWithoutContinue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		over := make(chan struct{})
		l := &lambda{t: t, phase: always(lifecycle.PhaseUpdating)}
		l.warm = dispatcher(&fake{onUpdate: func(context.Context, *update) (data, error) {
			<-over // whatever its context says
			return nil, nil
		}})
		event := updated("svc-1", "a", "a")()
		l.start(event)
		l.start(event)
		l.running.Wait()
		close(over)
		l.wants("FAILED svc-1", "FAILED svc-1")
	})
}

// Another request for the resource is answered FAILED as before: nothing says that
// what it waits for comes to an end.
func TestContinueBehindAnotherRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		over := make(chan struct{})
		p := newProcess(t, &fake{onUpdate: func(context.Context, *update) (data, error) {
			<-over // whatever its context says
			return nil, nil
		}})
		p.start(updated("svc-1", "a", "a")())
		<-time.After(time.Second)
		other := bytes.Replace(updated("svc-1", "a", "a")(), []byte(`"RequestId":"r1"`), []byte(`"RequestId":"r2"`), 1)
		p.start(other)
		p.running.Wait()
		close(over)
		p.wants("FAILED svc-1", "FAILED svc-1")
	})
}

// A handler that cannot be opened in a later invocation is opened again in
// another try, as long as CloudFormation waits for that.
func TestContinueOpensAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		failing []int         // invocations
		takes   time.Duration // the work
		timeout time.Duration // CloudFormation's
		want    string
		n       int
	}{
		"in the first":                   {[]int{1}, 8 * time.Minute, time.Hour, "FAILED " + marker, 1},
		"in the second":                  {[]int{2}, 8 * time.Minute, time.Hour, "SUCCESS svc-1", 3},
		"where CloudFormation gives up ": {[]int{2, 3}, 8 * time.Minute, 6 * time.Minute, "FAILED svc-1", 2},
	} {
		subtest(t, name, func(t *testing.T) {
			var mu sync.Mutex
			opened := 0
			wait := readyAfter(tt.takes)
			l := &lambda{t: t, phase: always(lifecycle.PhaseCreating), handler: func() any {
				return cfnresource.Lazy(func(context.Context) (cfnresource.Handler[props, data], error) {
					mu.Lock()
					defer mu.Unlock()
					opened++
					if slices.Contains(tt.failing, opened) {
						return nil, errors.New("the secret is throttled")
					}
					return waits(wait), nil
				})
			}}
			l.send(created(object{"ServiceTimeout": fmt.Sprint(int(tt.timeout.Seconds()))}))
			l.wantsIn(tt.n, tt.want)
		})
	}
}

// A margin that leaves the handler less counts where the function's Timeout is
// compared with how long CloudFormation waits.
func TestContinueNeedsATimeoutBesideTheMargin(t *testing.T) {
	for margin, want := range map[time.Duration]string{0: "SUCCESS", 10 * time.Second: "SUCCESS", time.Minute: "FAILED"} {
		subtest(t, margin.String(), func(t *testing.T) {
			l := &lambda{t: t, phase: always(lifecycle.PhaseCreating)}
			a := within(t, 250*time.Second, &fake{}, created(nil), func(o *cfnresource.Options) {
				l.options(o)
				o.ResponseMargin = margin
			})
			if a.Status != want || want == "FAILED" && !strings.Contains(a.Reason, "at least 4m50s") {
				t.Errorf("%s %s", a.Status, a.Reason)
			}
		})
	}
}
