package cfnresource_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// logged returns a Dispatcher's option, and what it has logged.
func logged() (func(*cfnresource.Options), *bytes.Buffer) {
	var log bytes.Buffer
	return func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }, &log
}

// An error that is taken to mean that nothing is there is no failure, but may
// have meant something else.
func TestIgnoredErrorIsLogged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &finder{}
		h.onDelete = func(context.Context, *del) error { return errSome }
		option, log := logged()
		if got := invoke(t, dispatcher(h, option), deleted(genID)); got.Status != "SUCCESS" || !strings.Contains(log.String(), errSome.Error()) {
			t.Errorf("%s (%s), want SUCCESS; logged: %s", got.Status, got.Reason, log)
		}
	})
}

// An operator sees what a call does in the time that is kept for the answer, too.
func TestRetriesInTheMarginAreLogged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		option, log := logged()
		h := &fake{onDelete: func(ctx context.Context, req *del) error {
			tries := 0
			return cfnresource.Retry(ctx, func(context.Context) error {
				if tries++; tries == 1 {
					return cfnresource.Errorf(cfnresource.CodeThrottling, "too soon")
				}
				return nil
			})
		}}
		expect(t, h, deleted(genID), "SUCCESS", genID, option)
		if deletes, records := len(calls(h)), strings.Count(log.String(), "a call is tried again"); deletes < 2 || records != deletes {
			t.Errorf("%d records of %d deletions that were tried twice: %s", records, deletes, log)
		}
	})
}

// A Validate that panics leaves its stack in the log.
func TestValidateThatPanicsLeavesItsStack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var logged bytes.Buffer
		d := cfnresource.New(action[strict, data](), func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		invoke(t, d, created(object{"ResourceProperties": object{"Need": "panic"}}))
		if !strings.Contains(logged.String(), "stack=") || !strings.Contains(logged.String(), "InternalFailure") {
			t.Errorf("the log has no stack, or not the code of a panic:\n%s", &logged)
		}
	})
}

type hangingLog struct{}

func (hangingLog) Enabled(context.Context, slog.Level) bool { return true }

func (hangingLog) Handle(context.Context, slog.Record) error {
	<-time.After(30 * time.Minute)
	return nil
}

func (l hangingLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l hangingLog) WithGroup(string) slog.Handler { return l }

// A logger that hangs costs half a second, once.
func TestLoggerThatHangsIsNotCalledAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		d := dispatcher(creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil }),
			func(o *cfnresource.Options) { o.Logger = slog.New(hangingLog{}) })
		if got := invoke(t, d, created(nil)); got.Status != "SUCCESS" || time.Since(start) != 500*time.Millisecond {
			t.Errorf("%s after %s, want SUCCESS after 500ms", got.Status, time.Since(start))
		}
	})
}
