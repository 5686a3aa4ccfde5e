package guard_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

type exits struct{}

func (exits) Error() string { runtime.Goexit(); return "" }

// However a call ends, Run returns, and says how.
func TestRun(t *testing.T) {
	tests := []struct {
		name    string
		fn      func(ctx context.Context) error
		text    string // a part; "" if the call is no failure
		unknown bool
	}{
		{"success", func(context.Context) error { return nil }, "", false},
		{"error", func(context.Context) error { return errors.New("no") }, "Create: no", false},
		{"its context's error", func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("x: %w", ctx.Err()) }, "deadline", true},
		{"its context's cause", func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, "out of time", true},
		{"panic", func(context.Context) error { panic("no") }, "Create: panic: no", true},
		{"panic with nil", func(context.Context) error { panic(nil) }, "panic", true},
		{"Goexit", func(context.Context) error { runtime.Goexit(); return nil }, "Goexit", true},
		{"an error that panics", func(context.Context) error { var e *exits; return e }, "panic", true},
		{"an error that exits", func(context.Context) error { return exits{} }, "Goexit", true},
		{"a panic with what exits", func(context.Context) error { panic(exits{}) }, "Goexit", true},
		{"ignores its context", func(context.Context) error { <-time.After(time.Minute); return nil }, "did not return within 11s", true},
		{"returns in the grace", func(context.Context) error { <-time.After(10500 * time.Millisecond); return nil }, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := guard.Guard{Grace: time.Second}
				ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, guard.ErrOutOfTime)
				defer cancel()
				f := g.Run(ctx, "Create", tt.fn)
				if (f == nil) != (tt.text == "") || f != nil && (!strings.Contains(f.Text, tt.text) || f.Unknown != tt.unknown) {
					t.Errorf("%+v, want one that says %q, unknown: %v", f, tt.text, tt.unknown)
				}
				<-time.After(time.Hour)
			})
		})
	}
}

// After waits for what was given up, and for nothing else.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g guard.Guard
		called := false
		if g.After(func() { called = true }); !called {
			t.Error("After waits although nothing was given up")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var log []string
		g.Run(ctx, "Create", func(context.Context) error { <-time.After(time.Minute); log = append(log, "returned"); return nil })
		end := make(chan struct{})
		g.After(func() { log = append(log, "after"); close(end) })
		<-end
		if got := strings.Join(log, " "); got != "returned after" {
			t.Errorf("%q, want the call's end before After's function", got)
		}
	})
}

// What has returned was not given up, however late one waits for it.
func TestWaitAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 { // of two things that are ready, select takes any
			ctx, cancel := context.WithCancel(t.Context())
			var g guard.Guard
			started := g.Start(ctx, "logging", func(context.Context) error { return nil })
			synctest.Wait()
			cancel()
			if f := started.Wait(); f != nil {
				t.Fatal(f.Text)
			}
		}
	})
}

// A call whose time is over is not begun. That is no answer of what it would
// have asked: an earlier delivery may have done its work.
func TestRunAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(guard.ErrOutOfTime)
	var g guard.Guard
	f := g.Run(ctx, "Delete", func(context.Context) error { t.Error("called"); return nil })
	if f == nil || !strings.Contains(f.Text, "Delete was not started") || !f.Unknown {
		t.Errorf("%+v, want a failure that says so, and that nothing is known", f)
	}
}

// A trusted call runs in the caller's goroutine; a panic in it is a failure all the same.
func TestRunTrusted(t *testing.T) {
	g := guard.Guard{Trusted: true}
	if f := g.Run(t.Context(), "Send", func(context.Context) error { return errors.New("no") }); f == nil || f.Text != "Send: no" {
		t.Errorf("%+v, want the error", f)
	}
	if f := g.Run(t.Context(), "Send", func(context.Context) error { panic("no") }); f == nil || f.Text != "Send: panic: no" || f.Stack == "" {
		t.Errorf("%+v, want the panic", f)
	}
	exited := true
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Run(t.Context(), "Send", func(context.Context) error { runtime.Goexit(); return nil })
		exited = false
	}()
	if <-done; !exited {
		t.Error("the call had a goroutine of its own")
	}
}

func TestBudgetOf(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name                  string
		deadline, awaited     time.Duration // from now; 0 for no deadline
		margin                time.Duration
		timeout, hard, answer time.Duration
	}{
		{"CloudFormation's wait without a deadline", 0, time.Hour, 0, 0, time.Hour, 10 * time.Second},
		{"the function's deadline, if it is earlier", time.Minute, time.Hour, 0, time.Minute, time.Minute, 6 * time.Second},
		{"or CloudFormation's", 15 * time.Minute, time.Minute, 0, 15 * time.Minute, time.Minute, 6 * time.Second},
		{"a deadline that is past counts for nothing", -time.Minute, time.Hour, 0, 0, time.Hour, 10 * time.Second},
		{"a short function keeps most of its time", 3 * time.Second, time.Hour, 0, 3 * time.Second, 3 * time.Second, 300 * time.Millisecond},
		{"the least margin", time.Second, time.Hour, 0, time.Second, time.Second, 250 * time.Millisecond},
		{"never more than half", 100 * time.Millisecond, time.Hour, 0, 100 * time.Millisecond, 100 * time.Millisecond, 50 * time.Millisecond},
		{"the margin that is wanted", time.Minute, time.Hour, 20 * time.Second, time.Minute, time.Minute, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			if tt.deadline != 0 {
				var cancel func()
				ctx, cancel = context.WithDeadline(ctx, now.Add(tt.deadline))
				defer cancel()
			}
			got, inner := guard.BudgetOf(ctx, now, now.Add(tt.awaited), tt.margin)
			want := guard.Budget{Timeout: tt.timeout, Deadline: now.Add(tt.hard), Margin: tt.answer}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if _, has := inner.Deadline(); has != (tt.deadline > 0) {
				t.Errorf("the context has a deadline: %t", has)
			}
		})
	}
}

// Each pause is twice as long as the one before it, up to the last; half of it is left to chance.
func TestBackoff(t *testing.T) {
	for range 100 {
		b := guard.Backoff{First: time.Second, Last: 5 * time.Second}
		for i, seconds := range []int{1, 2, 4, 5, 5} {
			whole := time.Duration(seconds) * time.Second
			if got := b.Next(); got < whole/2 || got > whole {
				t.Fatalf("pause %d is %s, want %s to %s", i+1, got, whole/2, whole)
			}
		}
	}
}

// A steady one leaves nothing to chance.
func TestSteadyBackoff(t *testing.T) {
	b := guard.Backoff{First: time.Second, Last: 5 * time.Second, Steady: true}
	for i, want := range []time.Duration{750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second, 3750 * time.Millisecond, 3750 * time.Millisecond} {
		if got := b.Next(); got != want {
			t.Errorf("pause %d is %s, want %s", i+1, got, want)
		}
	}
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if !guard.Sleep(ctx, time.Second) || time.Since(start) != time.Second {
			t.Errorf("false, or after %s; want true after a second", time.Since(start))
		}
		if guard.Sleep(ctx, time.Hour) || time.Since(start) != time.Minute {
			t.Errorf("true, or after %s; want false when the context ends", time.Since(start))
		}
	})
}

// A value that takes long to make is made only for a record that is written, since most are not where a test plays; and a
// handler gets it as it is, since not all ask a LogValuer.
func TestValuesAreMadeForRecordsThatAreWritten(t *testing.T) {
	for _, c := range []struct {
		name  string
		least slog.Level
		want  string
	}{
		{"written", slog.LevelInfo, "String"},
		{"left out", slog.LevelError, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l guard.Log
			var got string
			made := false
			value := valuer(func() slog.Value { made = true; return slog.StringValue("made") })
			l.Start(t.Context(), time.Minute, slog.New(sees{slog.DiscardHandler, c.least, &got}), slog.LevelInfo, "done", slog.Any("value", value))()
			if got != c.want || made != (c.want != "") {
				t.Errorf("the handler got a value of the kind %q, made %t", got, made)
			}
		})
	}
}

type valuer func() slog.Value

func (v valuer) LogValue() slog.Value { return v() }

// sees is a handler that sees the kind of each value, from a level on.
type sees struct {
	slog.Handler
	least slog.Level
	kind  *string
}

func (s sees) Enabled(_ context.Context, level slog.Level) bool { return level >= s.least }

func (s sees) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool { *s.kind = a.Value.Kind().String(); return true })
	return nil
}
