package hook_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

func TestDo(t *testing.T) {
	own, spoilt := errors.New("its own"), errors.New("spoilt")
	method := func() (string, error) { return "id", own }
	if id, err := hook.Do(t.Context(), hook.Call{}, method); id != "id" || !errors.Is(err, own) {
		t.Errorf("without a Func: %q, %v", id, err)
	}
	ctx := hook.WithCalls(t.Context(), func(_ context.Context, c hook.Call, m hook.Method) (string, error) {
		id, err := m()
		if id != "id" || !errors.Is(err, own) || c.Method != "Create" {
			t.Errorf("the Func sees %q, %v of %s", id, err, c.Method)
		}
		return "", spoilt
	})
	if id, err := hook.Do(ctx, hook.Call{Method: "Create"}, method); id != "" || !errors.Is(err, spoilt) {
		t.Errorf("with a Func: %q, %v", id, err)
	}
}

type props struct {
	Name string `cfn:"createOnly"`
}

type nothing struct{}

// found is a handler all of whose methods can be called.
type found struct{ id string }

func (f found) Find(context.Context, *cfnresource.FindRequest[props]) (string, error) {
	return f.id, nil
}

func (found) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data nothing, err error) {
	req.Created("made")
	return data, nil
}

func (found) Update(context.Context, *cfnresource.UpdateRequest[props]) (data nothing, err error) {
	return data, nil
}

func (found) Delete(context.Context, *cfnresource.DeleteRequest[props]) error { return nil }

// The dispatcher has each method called through the context's Func, and takes
// its word for what was returned.
func TestTheDispatcherCallsThroughIt(t *testing.T) {
	p := props{Name: "a"}
	for _, test := range []struct {
		name  string
		found string
		event []byte
		want  []string
	}{
		{"create", "", cfntest.CreateEvent(p), []string{"Find  = ", "Create  = , made"}},
		{"adopt", "there", cfntest.CreateEvent(p), []string{"Find  = there", "Update there = "}},
		{"update", "there", cfntest.UpdateEvent("there", p, p), []string{"Update there = "}},
		{"delete", "there", cfntest.DeleteEvent("there", p), []string{"Delete there = "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen []string
			watch := func(_ context.Context, c hook.Call, m hook.Method) (string, error) {
				id, err := m()
				line := c.Method + " " + c.PhysicalID + " = " + id
				if c.Created != nil {
					line += ", " + c.Created()
				}
				seen = append(seen, line)
				return id, err
			}
			process := func() cfntest.Function {
				return cfnresource.New(found{test.found}, func(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) })
			}
			if a := cfntest.InvokeContext(hook.WithCalls(t.Context(), watch), t, process(), test.event); a.Status != "SUCCESS" {
				t.Errorf("answered %+v", a)
			}
			if diff := cmp.Diff(test.want, seen); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}

			spoil := func(context.Context, hook.Call, hook.Method) (string, error) {
				return "", cfnresource.Errorf(cfnresource.CodeInvalidRequest, "spoilt") // which is not tried again
			}
			if a := cfntest.InvokeContext(hook.WithCalls(t.Context(), spoil), t, process(), test.event); a.Status != "FAILED" {
				t.Errorf("spoilt, it answered %+v", a)
			}
		})
	}
}

// The steps of the context are asked, also through cfntest.Step.
func TestSteps(t *testing.T) {
	if _, ok := hook.Steps(t.Context()); ok {
		t.Error("there are steps in an empty context")
	}
	broke := errors.New("the connection broke")
	ctx := hook.WithSteps(t.Context(), func(context.Context) error { return broke })
	if err := cfntest.Step(ctx); !errors.Is(err, broke) {
		t.Errorf("the step returned %v", err)
	}
}

// What is not in the context is not taken for a sender or a phase.
func TestSenderAndPhase(t *testing.T) {
	if s, ok := hook.Sender(t.Context()); ok || s != nil {
		t.Errorf("without a sender: %v, %t", s, ok)
	}
	if p, ok := hook.Phase(t.Context()); ok || p != lifecycle.PhaseUnknown {
		t.Errorf("without a phase: %v, %t", p, ok)
	}
	want := response.NewSender("us-west-2", response.SenderOptions{})
	if s, ok := hook.Sender(hook.WithSender(t.Context(), want)); !ok || s != want {
		t.Errorf("with a sender: %v, %t", s, ok)
	}
	// That a phase is unknown can be said, too.
	if p, ok := hook.Phase(hook.WithPhase(t.Context(), lifecycle.PhaseUnknown)); !ok || p != lifecycle.PhaseUnknown {
		t.Errorf("with a phase: %v, %t", p, ok)
	}
}

// A chain stands in the place of what the options of a function that continues
// reach, and one that does not continue asks none of it.
func TestChain(t *testing.T) {
	chain := hook.Chain{
		Phase:     func(string) lifecycle.Phase { return lifecycle.PhaseUpdating },
		HoldsPoll: func(continues bool) bool { return continues },
	}
	ctx := hook.WithChain(t.Context(), chain)
	if !hook.HoldsPoll(ctx, true) || hook.HoldsPoll(ctx, false) || hook.HoldsPoll(t.Context(), true) || hook.HoldsPoll(hook.WithChain(t.Context(), hook.Chain{}), true) {
		t.Error("a Poll is held by a chain that says so, and by no other")
	}
	var got lifecycle.Phase
	look := cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data nothing, err error) {
		got = req.Phase(ctx)
		return data, cfnresource.Poll(ctx, 1, func(context.Context) (bool, error) { return true, nil })
	})
	p := props{Name: "a"}
	for name, tt := range map[string]struct {
		option func(o *cfnresource.Options)
		want   lifecycle.Phase
	}{
		"continues": {func(o *cfnresource.Options) { o.Continue = func(context.Context, []byte) error { return nil } }, lifecycle.PhaseUpdating},
		"does not":  {func(*cfnresource.Options) {}, lifecycle.PhaseRemoval},
	} {
		d := cfnresource.New(look, func(o *cfnresource.Options) {
			o.Logger = slog.New(slog.DiscardHandler)
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				return lifecycle.PhaseRemoval, nil
			}
		}, tt.option)
		got = ""
		ctx := hook.WithChain(t.Context(), hook.Chain{Phase: chain.Phase, HoldsPoll: func(continues bool) bool { return continues != (name == "continues") }})
		if _, err := d.Invoke(hook.WithSender(ctx, discard{}), cfntest.UpdateEvent("id", p, p)); err != nil || got != tt.want {
			t.Errorf("one that %s: %s, %v; want %s", name, got, err, tt.want)
		}
	}
}

type discard struct{}

func (discard) Send(context.Context, response.URL, []byte) error { return nil }

// Where the kit skips pauses, what failed is tried again at once.
func TestSkipsPause(t *testing.T) {
	try := map[string]func(context.Context, func() error) error{
		"Retry": func(ctx context.Context, do func() error) error {
			return cfnresource.Retry(ctx, func(context.Context) error { return do() })
		},
		"Poll": func(ctx context.Context, do func() error) error {
			return cfnresource.Poll(ctx, time.Minute, func(context.Context) (bool, error) { err := do(); return err == nil, err })
		},
	}
	for name, try := range try {
		for _, skips := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				ctx := hook.WithChain(t.Context(), hook.Chain{SkipsPause: func() bool { return skips }})
				began, tries := time.Now(), 0
				err := try(ctx, func() error {
					if tries++; tries == 1 {
						return cfnresource.Errorf(cfnresource.CodeThrottling, "slow down")
					}
					return nil
				})
				if waited := time.Since(began); err != nil || tries != 2 || skips != (waited == 0) {
					t.Errorf("%s, skipping %t: %v after %d tries and %v", name, skips, err, tries, waited)
				}
			})
		}
	}
}
