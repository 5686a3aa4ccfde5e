package cfnresource_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A process is a function all of whose invocations run in one process: a frozen
// one that is used again, or one that handles several at once. What it continues
// comes right away, and what fails is tried again, once.
type process struct {
	t       *testing.T
	timeout time.Duration // of the next invocation
	d       *cfnresource.Dispatcher
	phase   func() (lifecycle.Phase, error)
	sent    func(ctx context.Context, payload []byte) error // called after Continue sent payload
	logs    locked

	mu          sync.Mutex
	invocations int
	answers     []string // "SUCCESS svc-1"
	reasons     []string
	failures    []error
	running     sync.WaitGroup
}

func newProcess(t *testing.T, handler any, optFns ...func(*cfnresource.Options)) *process {
	p := &process{t: t, timeout: patient, phase: func() (lifecycle.Phase, error) { return lifecycle.PhaseUpdating, nil }}
	p.d = dispatcher(handler, append([]func(*cfnresource.Options){p.options}, optFns...)...)
	return p
}

func (p *process) options(o *cfnresource.Options) {
	o.Logger = slog.New(slog.NewTextHandler(&p.logs, nil))
	o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) { return p.phase() }
	o.Continue = func(ctx context.Context, payload []byte) error {
		p.start(payload)
		if p.sent == nil {
			return nil
		}
		return p.sent(ctx, payload)
	}
}

func (p *process) send(event payload) {
	p.start(event())
	p.running.Wait()
}

func (p *process) start(payload []byte) {
	p.running.Go(func() {
		if err := p.invoke(payload); err != nil {
			<-time.After(time.Minute)
			_ = p.invoke(payload) // Lambda's second try
		}
	})
}

func (p *process) invoke(payload []byte) error {
	p.mu.Lock()
	p.invocations++
	n := p.invocations
	p.mu.Unlock()
	if n > 40 {
		p.t.Error("it goes on without end")
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.timeout)
	defer cancel()
	var rec recorder
	_, err := p.d.Invoke(hook.WithSender(ctx, &rec), payload)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, body := range rec.bodies {
		a := judge(p.t, body)
		p.answers = append(p.answers, a.Status+" "+a.PhysicalResourceId)
		p.reasons = append(p.reasons, a.Reason)
	}
	if err != nil {
		p.failures = append(p.failures, err)
	}
	return err
}

func (p *process) wants(invocations int, want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.answers); diff != "" || p.invocations != invocations {
		p.t.Errorf("%d invocations, want %d; the answers (-want +got):\n%s%q %v", p.invocations, invocations, diff, p.reasons, p.failures)
	}
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
		p.wants(3, "SUCCESS svc-1", "SUCCESS svc-1")
	})
}

// An error of Continue's that quotes what it was to send shows nobody the signed
// URL.
func TestContinueErrorWithTheURL(t *testing.T) {
	for name, failing := range map[string]func(payload []byte) error{
		"refused": func(payload []byte) error {
			return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "cannot post %s", payload)
		},
		"not known": func(payload []byte) error { return fmt.Errorf("cannot post %q", payload) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newProcess(t, waits(readyAfter(8*time.Minute)))
				p.sent = func(_ context.Context, payload []byte) error { return failing(payload) }
				p.send(updated("svc-1", "a", "a"))
				told := fmt.Sprint(p.logs.String(), p.reasons, p.failures)
				if strings.Contains(told, "5ec2e7") || !strings.Contains(told, "cannot post") {
					t.Error(told)
				}
			})
		})
	}
}

// What there is is updated and deleted, in as many invocations as there may be,
// though a Create is refused: the function's timeout is short.
func TestContinueUpdatesWithAShortTimeout(t *testing.T) {
	for name, event := range map[string]payload{"update": updated("svc-1", "a", "a"), "delete": deleted("svc-1")} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newProcess(t, waits(readyAfter(8*time.Minute)))
				p.timeout = 200 * time.Second
				p.send(event)
				p.wants(3, "SUCCESS svc-1")
			})
		})
	}
}

// An invocation that begins a second late has the same function's timeout: the
// chain is not refused where it would be at its beginning.
func TestContinueThatBeginsLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newProcess(t, waits(readyAfter(8*time.Minute)))
		p.timeout = 4 * time.Minute
		p.phase = func() (lifecycle.Phase, error) {
			p.timeout = 4*time.Minute - 1100*time.Millisecond
			return lifecycle.PhaseCreating, nil
		}
		p.send(created(nil))
		p.wants(3, "SUCCESS svc-1")
	})
}
