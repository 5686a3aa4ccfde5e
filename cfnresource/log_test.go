package cfnresource_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
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

// Each event leaves a record, also one that reaches no handler.
func TestAnswerFromMemoryIsLogged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		option, log := logged()
		h := &fake{}
		d, p := dispatcher(h, option), created(nil)()
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			if _, err := d.Invoke(hook.WithSender(ctx, &recorder{}), p); err != nil {
				t.Error(err)
			}
			cancel()
		}
		if n := strings.Count(log.String(), "requestId=r1"); n != 2 || len(calls(h)) != 1 {
			t.Errorf("%d records of two deliveries, after %q: %s", n, calls(h), log)
		}
	})
}
