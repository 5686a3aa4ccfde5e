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

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

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
