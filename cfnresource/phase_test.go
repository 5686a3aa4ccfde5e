package cfnresource_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A teller answers Options.Phase: with one phase after the other, the last one from then on.
type teller struct {
	mu     sync.Mutex
	phases []lifecycle.Phase
	asked  []string
}

func tells(phases ...lifecycle.Phase) *teller { return &teller{phases: phases} }

func (p *teller) option(o *cfnresource.Options) {
	o.Phase = func(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, strings.Join(strings.Fields(op.Name+" "+op.PhysicalID+" "+op.CreatedID), " "))
		if op.StackID != stackID || op.LogicalID != "Topic" {
			return lifecycle.PhaseUnknown, errors.New("asked about another resource")
		}
		i := min(len(p.asked), len(p.phases)) - 1
		return p.phases[i], nil
	}
}

func (p *teller) set(phase lifecycle.Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phases = []lifecycle.Phase{phase}
}

func (p *teller) wasAsked(t *testing.T, want ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.asked, want) {
		t.Errorf("asked about %q, want %q", p.asked, want)
	}
}

// An event that was delivered more than a minute after it was sent asks whether
// it is awaited; where it is known not to be, it is answered and not handled.
func TestLateEventsAskFirst(t *testing.T) {
	late := object{"age": 61 * time.Second}
	with := func(fields object) object {
		fields["age"] = late["age"]
		return fields
	}
	for _, tt := range []struct {
		name   string
		event  payload
		phase  lifecycle.Phase
		id     string // of the FAILED answer, "" for SUCCESS
		asked  []string
		called int
	}{
		{"a Create that was cancelled", created(late), lifecycle.PhaseGivenUp, stable("a"), []string{"Create"}, 0},
		{"one that is done", created(late), lifecycle.PhaseNotAwaited, stable("a"), []string{"Create"}, 0},
		{"an Update that was rolled back", event("Update", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseGivenUp, "svc-1", []string{"Update svc-1"}, 0},
		{"a cleanup's Delete", event("Delete", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseNotAwaited, "svc-1", []string{"Delete svc-1"}, 0},
		{"one that is awaited", event("Delete", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseRemoval, "", []string{"Delete svc-1", "Delete svc-1 svc-1"}, 1},
		{"an Update that is", event("Update", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseUpdateRollback, "", []string{"Update svc-1"}, 1},
		{"nobody knows", event("Delete", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseUnknown, "", []string{"Delete svc-1", "Delete svc-1 svc-1"}, 1},
		{"nothing was created", event("Delete", with(object{"PhysicalResourceId": marker})), lifecycle.PhaseNotAwaited, "", nil, 0},
		{"a young event", event("Update", object{"PhysicalResourceId": "svc-1", "age": 59 * time.Second}), lifecycle.PhaseNotAwaited, "", nil, 1},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			h, p := &fake{}, tells(tt.phase)
			got := invoke(t, dispatcher(h, p.option), tt.event)
			switch {
			case tt.id == "" && got.Status != "SUCCESS":
				t.Errorf("answered %s: %s", got.Status, got.Reason)
			case tt.id != "" && (got.Status != "FAILED" || got.PhysicalResourceId != tt.id || !strings.Contains(got.Reason, "no longer waits")):
				t.Errorf("answered %s %s (%s), want FAILED %s", got.Status, got.PhysicalResourceId, got.Reason, tt.id)
			}
			p.wasAsked(t, tt.asked...)
			if c := calls(h); len(c) != tt.called {
				t.Errorf("calls %q, want %d", c, tt.called)
			}
		})
	}
}

// An Update that is known to lead forward is checked for unknown properties as
// a Create is. Where nobody knows, or in a rollback, they are ignored.
func TestUnknownPropertiesOfAnUpdate(t *testing.T) {
	typo := event("Update", object{"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Name": "a", "Sice": "2"}})
	for _, tt := range []struct {
		phase  lifecycle.Phase
		status string
		asks   int
	}{
		{lifecycle.PhaseUpdating, "FAILED", 1},
		{lifecycle.PhaseUpdateRollback, "SUCCESS", 1},
		{lifecycle.PhaseGivenUp, "SUCCESS", 3},
		{lifecycle.PhaseUnknown, "SUCCESS", 1},
	} {
		subtest(t, "phase "+string(tt.phase), func(t *testing.T) {
			p := tells(tt.phase)
			got := invoke(t, dispatcher(&fake{}, p.option), typo)
			if got.Status != tt.status || got.PhysicalResourceId != "svc-1" || strings.Contains(got.Reason, "Sice") != (tt.status == "FAILED") {
				t.Errorf("answered %s %s (%s), want %s svc-1", got.Status, got.PhysicalResourceId, got.Reason, tt.status)
			}
			if n := len(p.asked); n != tt.asks {
				t.Errorf("asked %d times, want %d", n, tt.asks)
			}
		})
	}
	subtest(t, "none", func(t *testing.T) {
		p := tells(lifecycle.PhaseUpdating)
		expect(t, &fake{}, updated("svc-1", "a", "a"), "SUCCESS", "svc-1", p.option)
		p.wasAsked(t)
	})
}

// Lambda writes logs as JSON where it is asked to: the text of what is wrong with
// a property is to be read there too.
func TestIgnoredPropertiesAreNamedInTheLog(t *testing.T) {
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		"JSON": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
	} {
		subtest(t, name, func(t *testing.T) {
			var log bytes.Buffer
			typo := event("Update", object{"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Name": "a", "Sice": "2"}})
			expect(t, &fake{}, typo, "SUCCESS", "svc-1", func(o *cfnresource.Options) { o.Logger = slog.New(handler(&log)) })
			if !strings.Contains(log.String(), "Sice: ") {
				t.Errorf("the log does not say what is wrong with Sice:\n%s", log.String())
			}
		})
	}
}

// DescribeStacks shows late what the stack does. A young event that seems not to be
// awaited asks again after one second, and after two more; then the answer counts.
func TestYoungEventAsksAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		event  payload
		before lifecycle.Phase
		late   time.Duration
		after  lifecycle.Phase
		status string
		asks   int
	}{
		{"an Update", updated("svc-1", "a", "a"), lifecycle.PhaseNotAwaited, 300 * time.Millisecond, lifecycle.PhaseUpdating, "SUCCESS", 2},
		{"a rollback's", updated("svc-1", "a", "a"), lifecycle.PhaseGivenUp, 2 * time.Second, lifecycle.PhaseUpdateRollback, "SUCCESS", 3},
		{"a Delete", deleted("svc-1"), lifecycle.PhaseNotAwaited, 300 * time.Millisecond, lifecycle.PhaseDeleting, "SUCCESS", 3}, // the third before it deletes
		{"a Create", created(object{"ServiceTimeout": "300"}), lifecycle.PhaseGivenUp, 300 * time.Millisecond, lifecycle.PhaseCreating, "SUCCESS", 2},
		{"shown too late", updated("svc-1", "a", "a"), lifecycle.PhaseNotAwaited, 4 * time.Second, lifecycle.PhaseUpdating, "FAILED", 3},
		{"an event that is late itself", event("Update", object{"PhysicalResourceId": "svc-1", "age": 61 * time.Second}), lifecycle.PhaseNotAwaited, 300 * time.Millisecond, lifecycle.PhaseUpdating, "FAILED", 1},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			asks, start := 0, time.Now()
			got := invoke(t, dispatcher(&fake{}, func(o *cfnresource.Options) {
				o.Continue = func(context.Context, []byte) error { return nil }
				o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
					if asks++; time.Since(start) < tt.late {
						return tt.before, nil
					}
					return tt.after, nil
				}
			}), tt.event)
			if got.Status != tt.status || asks != tt.asks {
				t.Errorf("answered %s (%s) after %d questions, want %s after %d", got.Status, got.Reason, asks, tt.status, tt.asks)
			}
		})
	}
}

// An Update whose ID nothing explains waits until searches show it. Meanwhile the stack turns back:
// the replacement that follows knows that it came before that, and takes back what it made.
func TestPhaseIsKnownBeforeTheWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		h := &finder{}
		h.onFind = func(_ context.Context, req *find) (string, error) {
			if req.Properties.Name == "a" && time.Since(start) > 4*time.Second {
				return "svc-1", nil
			}
			return "", nil
		}
		h.onCreate = func(_ context.Context, req *create) (data, error) { req.Created("svc-2"); return nil, nil }
		expect(t, h, updated("svc-1", "a", "b"), "FAILED", "svc-1", func(o *cfnresource.Options) {
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				if time.Since(start) > 2*time.Second {
					return lifecycle.PhaseUpdateRollback, nil
				}
				return lifecycle.PhaseUpdating, nil
			}
		})
		if c := calls(h); !slices.Contains(c, "Delete svc-2") {
			t.Errorf("calls %q, want the Delete of what was made", c)
		}
	})
}

const slow, quick = 11 * time.Second, 9 * time.Second

// A replacement asks before and after: where the stack has turned round
// meanwhile, what this call made is deleted, and the event's ID answered.
func TestReplacementAsksBeforeAndAfter(t *testing.T) {
	const (
		forward = lifecycle.PhaseUpdating
		back    = lifecycle.PhaseUpdateRollback
		up      = lifecycle.PhaseGivenUp
		unknown = lifecycle.PhaseUnknown
	)
	a, b := stable("a"), stable("b")
	for _, tt := range []struct {
		name          string
		before, after lifecycle.Phase
		err           error
		keeps         bool
	}{
		{"goes on", forward, forward, nil, true},
		{"rolls back", forward, back, nil, false},
		{"has rolled back", forward, up, nil, false},
		{"rolls back, and Create failed", forward, back, errSome, false},
		{"the next operation cleans up", forward, lifecycle.PhaseNotAwaited, nil, true},
		{"a rollback's own", back, back, nil, true},
		{"a rollback's own, which failed meanwhile", back, up, nil, true},
		{"nobody knew", unknown, back, nil, true},
		{"nobody knows", forward, unknown, nil, true},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			now := tells(tt.before) // the stack turns round while Create works
			h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
				now.set(tt.after)
				req.Created(req.StableID())
				return nil, tt.err
			}}
			got := invoke(t, dispatcher(h, now.option), updated(a, "a", "b"))
			want, status, id := []string{"Create b replaces " + a, "Delete " + b}, "FAILED", a
			if tt.keeps {
				want, status, id = want[:1], "SUCCESS", b
			}
			if c := calls(h); !slices.Equal(c, want) {
				t.Errorf("calls %q, want %q", c, want)
			}
			if got.Status != status || got.PhysicalResourceId != id {
				t.Errorf("answered %s %s (%s), want %s %s", got.Status, got.PhysicalResourceId, got.Reason, status, id)
			}
		})
	}
	subtest(t, "adopted", func(t *testing.T) {
		h := &finder{onFind: finds(map[string]string{"a": "svc-a", "b": "svc-b"})}
		expect(t, h, updated("svc-a", "a", "b"), "SUCCESS", "svc-b", tells(forward, back).option)
	})
	subtest(t, "in place", func(t *testing.T) {
		p := tells(forward, back)
		expect(t, &fake{}, updated(a, "a", "a"), "SUCCESS", a, p.option)
		p.wasAsked(t)
	})
	subtest(t, "never created", func(t *testing.T) {
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
			req.Created(req.StableID())
			return nil, nil
		}}
		expect(t, h, updated(marker, "a", "b"), "SUCCESS", b, tells(forward, back).option)
	})
}

// Why nobody can tell is logged once for an event, however often it is asked.
func TestWhyThePhaseIsUnknownIsLoggedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log bytes.Buffer
		asked := 0
		h := &fake{onCreate: func(ctx context.Context, req *create) (data, error) {
			req.Phase(ctx)
			<-time.After(slow)
			req.Created("svc-1")
			return nil, nil
		}}
		expect(t, h, created(nil), "SUCCESS", "svc-1", func(o *cfnresource.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				asked++
				return lifecycle.PhaseUnknown, errors.New("AccessDenied: not authorized")
			}
		})
		if n := strings.Count(log.String(), "AccessDenied: not authorized"); n != 1 || asked != 2 {
			t.Errorf("asked %d times, logged %d times:\n%s", asked, n, log.String())
		}
		if strings.Contains(log.String(), "X-Amz") {
			t.Errorf("the log holds the signed URL:\n%s", log.String())
		}
	})
}

// Of a short function's time, a quarter goes to a Phase that hangs: the rest is
// enough for a Create that takes half of it.
func TestSlowPhaseLeavesTimeToAShortFunction(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onCreate: func(ctx context.Context, req *create) (res data, _ error) {
			select {
			case <-time.After(1500 * time.Millisecond):
				return res, nil
			case <-ctx.Done():
				return res, ctx.Err()
			}
		}}
		d := dispatcher(h, func(o *cfnresource.Options) {
			o.Phase = func(ctx context.Context, _ *cfnresource.Operation) (lifecycle.Phase, error) {
				<-ctx.Done()
				return lifecycle.PhaseUnknown, ctx.Err()
			}
		})
		var rec recorder
		if err := deliverTo(t, d, &rec, 3*time.Second, updated(stable("a"), "a", "b")); err != nil {
			t.Fatal(err)
		}
		if a := judge(t, rec.bodies[0]); a.Status != "SUCCESS" {
			t.Errorf("answered %s: %s", a.Status, a.Reason)
		}
	})
}

// A test tells the dispatcher the phase too, whatever the option says.
func TestWithPhaseIsTheDispatchersToo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx := hook.WithPhase(t.Context(), lifecycle.PhaseUpdateRollback)
		var rec recorder
		refused := event("Update", object{"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Size": "large"}})
		p := tells(lifecycle.PhaseUpdating)
		defer p.wasAsked(t)
		if _, err := dispatcher(&fake{}, p.option).Invoke(hook.WithSender(ctx, &rec), refused()); err != nil {
			t.Fatal(err)
		}
		if a := judge(t, rec.bodies[0]); a.Status != "SUCCESS" {
			t.Errorf("answered %s: %s", a.Status, a.Reason)
		}
	})
}

// A handler is told one phase for each event. Asking takes two seconds at most, and never
// makes an operation fail. A Delete asks for itself, too.
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
			if a.Status != "SUCCESS" || asked.Load() != 2 || !slices.Equal(got, []lifecycle.Phase{want, want}) || time.Since(start) > 4*time.Second {
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
