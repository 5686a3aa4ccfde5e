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
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A teller answers Options.Phase: with one phase after the other, the last one
// from then on.
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
		p.asked = append(p.asked, strings.TrimSpace(op.Name+" "+op.PhysicalID+op.CreatedID))
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
		{"one that is awaited", event("Delete", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseRemoval, "", []string{"Delete svc-1"}, 1},
		{"an Update that is", event("Update", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseUpdateRollback, "", []string{"Update svc-1"}, 1},
		{"nobody knows", event("Delete", with(object{"PhysicalResourceId": "svc-1"})), lifecycle.PhaseUnknown, "", []string{"Delete svc-1"}, 1},
		{"nothing was created", event("Delete", with(object{"PhysicalResourceId": marker})), lifecycle.PhaseNotAwaited, "", nil, 0},
		{"a young event", event("Delete", object{"PhysicalResourceId": "svc-1", "age": 59 * time.Second}), lifecycle.PhaseNotAwaited, "", nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
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
	}{
		{lifecycle.PhaseUpdating, "FAILED"},
		{lifecycle.PhaseUpdateRollback, "SUCCESS"},
		{lifecycle.PhaseGivenUp, "SUCCESS"},
		{lifecycle.PhaseUnknown, "SUCCESS"},
	} {
		t.Run("phase "+string(tt.phase), func(t *testing.T) {
			p := tells(tt.phase)
			got := invoke(t, dispatcher(&fake{}, p.option), typo)
			if got.Status != tt.status || got.PhysicalResourceId != "svc-1" || strings.Contains(got.Reason, "Sice") != (tt.status == "FAILED") {
				t.Errorf("answered %s %s (%s), want %s svc-1", got.Status, got.PhysicalResourceId, got.Reason, tt.status)
			}
			p.wasAsked(t, "Update svc-1")
		})
	}
	t.Run("none", func(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			typo := event("Update", object{"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Name": "a", "Sice": "2"}})
			expect(t, &fake{}, typo, "SUCCESS", "svc-1", func(o *cfnresource.Options) { o.Logger = slog.New(handler(&log)) })
			if !strings.Contains(log.String(), "Sice: ") {
				t.Errorf("the log does not say what is wrong with Sice:\n%s", log.String())
			}
		})
	}
}

const slow, quick = 11 * time.Second, 9 * time.Second

// A Create that took over ten seconds asks again before it answers. Where the
// stack has turned round, what this call made is deleted.
func TestSlowCreateAsksBeforeItAnswers(t *testing.T) {
	const up, on = lifecycle.PhaseGivenUp, lifecycle.PhaseCreating
	for _, tt := range []struct {
		name    string
		takes   time.Duration
		tracks  string
		returns string
		err     error
		asks    bool // the handler, at its start
		phases  []lifecycle.Phase
		status  string
		deleted string
		asked   int
	}{
		{"tracked", slow, "svc-1", "", nil, false, []lifecycle.Phase{up}, "FAILED", "svc-1", 1},
		{"returned", slow, "", "svc-1", nil, false, []lifecycle.Phase{up}, "FAILED", "svc-1", 1},
		{"tracked, then failed", slow, "svc-1", "", errSome, false, []lifecycle.Phase{up}, "FAILED", "svc-1", 1},
		{"asked afresh", slow, "svc-1", "", nil, true, []lifecycle.Phase{on, up}, "FAILED", "svc-1", 2},
		{"still awaited", slow, "svc-1", "", nil, false, []lifecycle.Phase{on}, "SUCCESS", "", 1},
		{"answered by another delivery", slow, "svc-1", "", nil, false, []lifecycle.Phase{lifecycle.PhaseNotAwaited}, "SUCCESS", "", 1},
		{"nobody knows", slow, "svc-1", "", nil, false, []lifecycle.Phase{lifecycle.PhaseUnknown}, "SUCCESS", "", 1},
		{"nothing tracked", slow, "", "", nil, false, []lifecycle.Phase{up}, "SUCCESS", "", 0},
		{"another's name", slow, "svc-1", "", cfnresource.AlreadyExists("svc-1"), false, []lifecycle.Phase{up}, "FAILED", "", 0},
		{"a quick one", quick, "svc-1", "", nil, false, []lifecycle.Phase{up}, "SUCCESS", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := &fake{onCreate: func(ctx context.Context, req *create) (data, error) {
					if tt.asks {
						req.Phase(ctx)
					}
					<-time.After(tt.takes)
					req.Created(tt.tracks)
					req.Created(tt.returns)
					return nil, tt.err
				}}
				p := tells(tt.phases...)
				got := invoke(t, dispatcher(h, p.option), created(nil))
				if got.Status != tt.status {
					t.Errorf("answered %s: %s", got.Status, got.Reason)
				}
				want := []string{"Create a"}
				if tt.deleted != "" {
					want = append(want, "Delete "+tt.deleted)
				}
				if c := calls(h); !slices.Equal(c, want) {
					t.Errorf("calls %q, want %q", c, want)
				}
				if len(p.asked) != tt.asked {
					t.Errorf("asked %d times, want %d", len(p.asked), tt.asked)
				}
			})
		})
	}
}

// What counts is the time since the event was sent: a Create that waited in a
// queue may have been given up before it began.
func TestSlowIsSinceSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil }}
		invoke(t, dispatcher(h, tells(lifecycle.PhaseGivenUp).option), created(object{"age": slow}))
		if c := calls(h); !slices.Equal(c, []string{"Create a", "Delete svc-1"}) {
			t.Errorf("calls %q", c)
		}
	})
}

// What was there before is no work of this call.
func TestSlowCreateKeepsWhatItAdopted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := tells(lifecycle.PhaseGivenUp)
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
			<-time.After(slow)
			return nil, cfnresource.AlreadyExists(req.StableID())
		}}
		expect(t, h, created(nil), "SUCCESS", stable("a"), p.option)
		p.wasAsked(t)
	})
}

// What cannot be deleted is answered for by its ID, should anybody read it.
func TestTakingBackMayFail(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{
			onCreate: func(_ context.Context, req *create) (data, error) {
				<-time.After(slow)
				req.Created("svc-1")
				return nil, nil
			},
			onDelete: func(context.Context, *del) error { return errSome },
		}
		got := expect(t, h, created(nil), "FAILED", "svc-1", tells(lifecycle.PhaseGivenUp).option)
		if !strings.Contains(got.Reason, "is left behind: Delete: "+errSome.Error()) {
			t.Errorf("Reason %q", got.Reason)
		}
	})
}

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
		t.Run(tt.name, func(t *testing.T) {
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
	t.Run("adopted", func(t *testing.T) {
		h := &finder{onFind: finds(map[string]string{"a": "svc-a", "b": "svc-b"})}
		expect(t, h, updated("svc-a", "a", "b"), "SUCCESS", "svc-b", tells(forward, back).option)
	})
	t.Run("in place", func(t *testing.T) {
		p := tells(forward, back)
		expect(t, &fake{}, updated(a, "a", "a"), "SUCCESS", a, p.option)
		p.wasAsked(t)
	})
	t.Run("never created", func(t *testing.T) {
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
			req.Created(req.StableID())
			return nil, nil
		}}
		expect(t, h, updated(marker, "a", "b"), "SUCCESS", b, tells(forward, back).option)
	})
}

// A Create that gives the resource to be replaced for a new one has made
// nothing that could be taken back: that resource is live.
func TestTakingBackSparesTheLiveResource(t *testing.T) {
	a := stable("a")
	now := tells(lifecycle.PhaseUpdating)
	h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
		now.set(lifecycle.PhaseUpdateRollback)
		req.Created(req.Replaces)
		return nil, nil
	}}
	expect(t, h, updated(a, "a", "b"), "FAILED", a, now.option)
	if c := calls(h); !slices.Equal(c, []string{"Create b replaces " + a}) {
		t.Errorf("calls %q", c)
	}
}

// Nobody reads the answer to what is taken back, but the log says why the
// Create failed.
func TestTakingBackKeepsWhyCreateFailed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fails func() error
		want  []string
	}{
		{"error", func() error { return errSome }, []string{errSome.Error(), "deleted again"}},
		{"panic", func() error { panic("no more") }, []string{"no more", "deleted again", "phase_test.go"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var log bytes.Buffer
				h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
					req.Created("svc-1")
					<-time.After(slow)
					return nil, tt.fails()
				}}
				expect(t, h, created(nil), "FAILED", "svc-1", tells(lifecycle.PhaseGivenUp).option, func(o *cfnresource.Options) {
					o.Logger = slog.New(slog.NewTextHandler(&log, nil))
				})
				for _, want := range tt.want {
					if !strings.Contains(log.String(), want) {
						t.Errorf("the log lacks %q:\n%s", want, log.String())
					}
				}
			})
		})
	}
}

// A replacement that failed after the stack turned round is told from the
// rollback's own by what was asked before it.
func TestFailedReplacementIsUndoneThoughTheStackRollsBack(t *testing.T) {
	h := &fake{
		onCreate: func(_ context.Context, req *create) (data, error) {
			req.Created(req.StableID())
			return data{"Huge": strings.Repeat("x", 5000)}, nil
		},
	}
	expect(t, h, updated(stable("a"), "a", "b"), "FAILED", stable("a"), tells(lifecycle.PhaseUpdating).option)
	if c := calls(h); len(c) != 2 || c[1] != "Delete "+stable("b") {
		t.Errorf("calls %q", c)
	}
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

// A slow answer costs two seconds and no more, each time.
func TestSlowPhaseHoldsNothingUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil }}
		start := time.Now()
		expect(t, h, created(object{"age": 2 * time.Minute}), "SUCCESS", "svc-1", func(o *cfnresource.Options) {
			o.Phase = func(ctx context.Context, _ *cfnresource.Operation) (lifecycle.Phase, error) {
				<-ctx.Done()
				return lifecycle.PhaseGivenUp, ctx.Err()
			}
		})
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("took %s, want twice two seconds", took)
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
}
