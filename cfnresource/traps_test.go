package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/response"
)

// Traps that a second reader of the dispatcher laid, each of which it fell
// into once.

type senderFunc func(ctx context.Context, url response.URL, body []byte) error

func (f senderFunc) Send(ctx context.Context, url response.URL, body []byte) error {
	return f(ctx, url, body)
}

// deliverTo invokes d with a sender of its own and a function timeout.
func deliverTo(t *testing.T, d invoker, s response.Sender, timeout time.Duration, p payload) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	_, err := d.Invoke(hook.WithSender(ctx, s), p())
	return err
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

// An ID that CloudFormation cannot keep must not go out beside an error either.
func TestCreatedIDIsCheckedAlsoBesideAnError(t *testing.T) {
	for name, id := range map[string]string{
		"5000 bytes": strings.Repeat("x", 5000), "1500 bytes": strings.Repeat("x", 1500),
		"a newline": "vol-1\n", "blank": "  ", "the marker": marker, "not UTF-8": "vol-\xff1",
	} {
		t.Run(name, func(t *testing.T) {
			h := creates(func(_ context.Context, req *create) (data, error) { req.Created(id); return nil, errSome })
			if got := invoke(t, dispatcher(h), created(nil)); got.PhysicalResourceId != stable("a") || !strings.Contains(got.Reason, errSome.Error()) {
				t.Errorf("%.40q (%s), want %s and the handler's own error", got.PhysicalResourceId, got.Reason, stable("a"))
			}
			for _, call := range h.calls {
				if call == "Delete" || call == "Delete "+marker {
					t.Errorf("calls %q: that ID must never reach a handler", h.calls)
				}
			}
		})
	}
}

// The name of what succeeded without a word is not known to be this call's
// work: in a rollback, a Create that puts has met the resource in use.
func TestStableIDThatWasNotNamedIsNotUndone(t *testing.T) {
	h := creates(func(context.Context, *create) (data, error) {
		return data{"Big": strings.Repeat("x", 5000)}, nil
	})
	got := invoke(t, dispatcher(h), updated(stable("b"), "b", "a"))
	if got.Status != "FAILED" || got.PhysicalResourceId != stable("b") || len(h.calls) != 1 {
		t.Errorf("%s %s, calls %q; want FAILED %s and no Delete", got.Status, got.PhysicalResourceId, h.calls, stable("b"))
	}
}

// The last answer to an event is known while its handler still runs.
func TestMemoryDoesNotWaitForTheHandler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			req.Created("svc-1")
			<-time.After(10 * time.Minute)
			return nil, nil
		})
		d, ev := dispatcher(h), created(nil)()
		same := func() []byte { return ev }
		_, _ = send(t, d, same, &recorder{err: errors.New("no route")})
		if again, err := send(t, d, same, new(recorder)); err != nil || again[0].PhysicalResourceId != "svc-1" {
			t.Errorf("%v, %v; want the answer that names svc-1 again", again, err)
		}
	})
}

// The second pass of a lost Delete is another request to the service: the same
// client token would get the first one's reply.
func TestEachRemovalHasATokenOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		seen := make(map[string]bool)
		h := &fake{onDelete: func(_ context.Context, req *del) error {
			if seen[req.IdempotencyToken()] {
				t.Errorf("Delete of %s has the token of another", req.PhysicalID)
			}
			seen[req.IdempotencyToken()] = true
			return nil
		}}
		invoke(t, dispatcher(h), deleted(genID))
	})
}

type hangingLog struct{}

func (hangingLog) Enabled(context.Context, slog.Level) bool { return true }
func (hangingLog) Handle(context.Context, slog.Record) error {
	<-time.After(30 * time.Minute)
	return nil
}
func (l hangingLog) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l hangingLog) WithGroup(string) slog.Handler      { return l }

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

type badConnector struct{ recorder }

func (*badConnector) Check(response.URL) error                    { panic("no") }
func (*badConnector) Connect(context.Context, response.URL) error { panic("no") }

// A Sender is the user's code too.
func TestSenderThatPanics(t *testing.T) {
	if err := deliverTo(t, dispatcher(&fake{}), new(badConnector), time.Second, created(nil)); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("Check: %v, want an error that says so", err)
	}
	panics := senderFunc(func(context.Context, response.URL, []byte) error { panic("no") })
	if err := deliverTo(t, dispatcher(&fake{}), panics, time.Second, created(nil)); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("Send: %v, want an error that says so", err)
	}
}

// Invoke returns before Lambda ends the process, whatever the Sender does: what
// was done is remembered in it.
func TestInvokeReturnsBeforeTheDeadline(t *testing.T) {
	for name, s := range map[string]senderFunc{
		"heeds its context": func(ctx context.Context, _ response.URL, _ []byte) error { <-ctx.Done(); return ctx.Err() },
		"does not":          func(context.Context, response.URL, []byte) error { <-time.After(time.Minute); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				start := time.Now()
				err := deliverTo(t, dispatcher(&fake{}), s, 30*time.Second, created(nil))
				if took := time.Since(start); err == nil || took >= 30*time.Second {
					t.Errorf("%v after %s", err, took)
				}
			})
		})
	}
}

type lateJSON struct{}

func (lateJSON) MarshalJSON() ([]byte, error) {
	<-time.After(time.Minute)
	return []byte(`"x"`), nil
}

// Code that was given up may go on as it likes: what it writes is not read. The
// race detector sees to it.
func TestWhatWasGivenUpGoesOnByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			req.Created("svc-1")
			return data{"X": lateJSON{}}, nil
		})
		hangs := senderFunc(func(context.Context, response.URL, []byte) error { <-time.After(2 * time.Minute); return errSome })
		if err := deliverTo(t, dispatcher(h), hangs, 10*time.Second, created(nil)); err == nil {
			t.Error("nil, want an error")
		}
		if err := deliverTo(t, dispatcher(creates(func(context.Context, *create) (data, error) { return ignoreContext() })), hangs, 10*time.Second, created(nil)); err == nil {
			t.Error("nil, want an error")
		}
	})
}

// What several errors say exists is not one thing that can be adopted.
func TestJoinedAlreadyExistsIsNotAdopted(t *testing.T) {
	h := creates(func(_ context.Context, req *create) (data, error) {
		return nil, errors.Join(cfnresource.AlreadyExists(req.StableID()), cfnresource.AlreadyExists("prod-data"))
	})
	if got := invoke(t, dispatcher(h), created(nil)); got.PhysicalResourceId != marker || len(h.calls) != 1 {
		t.Errorf("%s, calls %q; want the marker and no Update", got.PhysicalResourceId, h.calls)
	}
}

// Another process may have made it since Find was asked.
func TestAlreadyExistsIsLookedForAgain(t *testing.T) {
	h := &finder{}
	h.onCreate = func(context.Context, *create) (data, error) {
		h.onFind = finds(map[string]string{"a": "my-name"})
		return nil, cfnresource.AlreadyExists("my-name")
	}
	if got := invoke(t, dispatcher(h), created(nil)); got.Status != "SUCCESS" || got.PhysicalResourceId != "my-name" {
		t.Errorf("%s %s (%s), want it adopted", got.Status, got.PhysicalResourceId, got.Reason)
	}
}

// An empty ID is none, and the last one counts.
func TestCreatedOddities(t *testing.T) {
	h := creates(func(_ context.Context, req *create) (data, error) {
		req.Created("svc-1")
		req.Created("")
		return nil, errSome
	})
	if got := invoke(t, dispatcher(h), created(nil)); got.PhysicalResourceId != "svc-1" {
		t.Errorf(`Created(""): %s, want svc-1`, got.PhysicalResourceId)
	}
	h = creates(func(_ context.Context, req *create) (data, error) {
		req.Created("svc-1")
		req.Created("svc-2")
		return nil, nil
	})
	if got := invoke(t, dispatcher(h), created(nil)); got.PhysicalResourceId != "svc-2" {
		t.Errorf("two calls: %s, want svc-2", got.PhysicalResourceId)
	}
}

// The Delete of a marker is answered also if the event lacks its own IDs.
func TestMarkerWithoutIDsIsAnswered(t *testing.T) {
	for _, field := range []string{"RequestId", "StackId", "LogicalResourceId"} {
		if got := invoke(t, dispatcher(&fake{}), event("Delete", object{"PhysicalResourceId": marker, field: nil})); got.Status == "" {
			t.Errorf("without %s: no answer", field)
		}
	}
}

// What has nothing to delete does not wait for a Create.
func TestLostDeleteOfAnActionDoesNotWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		if got := invoke(t, cfnresource.New(action[props, data](), silent), deleted(genID)); got.Status != "SUCCESS" || time.Since(start) > 0 {
			t.Errorf("%s after %s", got.Status, time.Since(start))
		}
	})
}

// A record of the dead is answered for also by a version that is misconfigured.
func TestDeadAreAnsweredForByAMisconfiguredFunction(t *testing.T) {
	d := dispatcher(&fake{}, func(o *cfnresource.Options) { o.LostGrace = -1 })
	if got := invoke(t, d, died(created(nil))); got.PhysicalResourceId != stable("a") {
		t.Errorf("%s (%s), want %s: what the dead made would leak", got.PhysicalResourceId, got.Reason, stable("a"))
	}
}

// A Validate that panics leaves its stack in the log.
func TestValidateThatPanicsLeavesItsStack(t *testing.T) {
	var logged bytes.Buffer
	d := cfnresource.New(action[strict, data](), func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
	invoke(t, d, created(object{"ResourceProperties": object{"Need": "panic"}}))
	if !strings.Contains(logged.String(), "stack=") || !strings.Contains(logged.String(), "InternalFailure") {
		t.Errorf("the log has no stack, or not the code of a panic:\n%s", &logged)
	}
}

// The secrets of both sides are redacted in what is known of a death.
func TestDeathsTellNoSecrets(t *testing.T) {
	p := event("Update", object{
		"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Secret": "new-secret-1"}, "OldResourceProperties": object{"Secret": "old-secret-1"},
	})
	got := invoke(t, dispatcher(&fake{}), func() []byte {
		return encode(object{
			"requestContext": object{"condition": "RetriesExhausted"}, "requestPayload": json.RawMessage(p()),
			"responsePayload": object{"errorMessage": "from old-secret-1 to new-secret-1"},
		})
	})
	if !strings.Contains(got.Reason, "from *** to ***") {
		t.Errorf("Reason %q", got.Reason)
	}
}

// What New and Handle are given can be wrong in ways that the compiler allows.
func TestMoreMisconfiguration(t *testing.T) {
	var run func(context.Context, *update) (data, error)
	var open func(context.Context) (*fake, error)
	var zero cfnresource.Dispatcher
	cfnresource.Handle(&zero, "Custom::Topic", &fake{})
	for name, d := range map[string]interface {
		invoker
		Err() error
	}{
		"Action(nil)":                    cfnresource.New(cfnresource.Action(run), silent),
		"Lazy(nil)":                      cfnresource.New(cfnresource.Lazy(open), silent),
		"a nil Middleware":               cfnresource.New(&fake{}, silent, func(o *cfnresource.Options) { o.Middleware = append(o.Middleware, nil) }),
		"an option that panics":          cfnresource.New(&fake{}, silent, func(*cfnresource.Options) { panic("no") }),
		"a Dispatcher of no constructor": &zero,
		"Lazy of a misspelt Find":        cfnresource.New(cfnresource.Lazy(func(context.Context) (*typo, error) { return new(typo), nil }), silent),
	} {
		if d.Err() == nil {
			t.Errorf("%s: Err is nil", name)
		}
		if got := invoke(t, d, created(nil)); got.Status != "FAILED" {
			t.Errorf("%s: %s", name, got.Status)
		}
	}
	if err := fmt.Sprint(cfnresource.New(&fake{}, func(*cfnresource.Options) { panic("no") }).Err()); !strings.Contains(err, "an option panicked") {
		t.Errorf("Err: %s", err)
	}
}
