package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// send passes a payload to d and returns what was sent, and Invoke's error.
func send(t *testing.T, d invoker, p payload, rec *recorder) ([]answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err := d.Invoke(hook.WithSender(ctx, rec), p())
	var answers []answer
	for _, body := range rec.bodies {
		answers = append(answers, judge(t, body))
	}
	return answers, err
}

// Each event in an SNS notification is answered; those that cannot be are told.
func TestSNSNotification(t *testing.T) {
	message := func(p payload) object { return object{"EventSource": "aws:sns", "Sns": object{"Message": string(p())}} }
	other := object{"RequestId": "r2", "LogicalResourceId": "Other"}
	h := &fake{}
	var logged bytes.Buffer
	d := dispatcher(h, func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
	answers, err := send(t, d, func() []byte {
		return encode(object{"Records": []object{message(created(nil)), message(func() []byte { return []byte("hello") }), message(created(other))}})
	}, new(recorder))
	if len(answers) != 2 || len(h.calls) != 2 {
		t.Errorf("%d answers, calls %q; want both events handled", len(answers), h.calls)
	}
	if err != nil {
		t.Errorf("error %v would have Lambda deliver again what is answered", err)
	}
	if !strings.Contains(logged.String(), "record 2 of 3") {
		t.Errorf("the log does not name the record that is no event:\n%s", &logged)
	}
}

// The record of a died process may hold an SNS notification.
func TestDeadNotification(t *testing.T) {
	inner := func() []byte {
		return encode(object{"Records": []object{{"Sns": object{"Message": string(created(nil)())}}}})
	}
	answers, err := send(t, dispatcher(&fake{}), died(inner), new(recorder))
	if err != nil || len(answers) != 1 || answers[0].Status != "FAILED" {
		t.Errorf("%v, %v; want one FAILED", answers, err)
	}
}

// A payload that nobody can be answered for is an error that says so, and
// reaches no handler.
func TestUnanswerablePayloads(t *testing.T) {
	for _, tt := range []struct{ name, payload, want string }{
		{"empty", "", "not JSON"},
		{"not JSON", "hello", "not JSON at byte 1"},
		{"not an object", "[]", "not a JSON object"},
		{"another event", `{"source":"aws.events"}`, "no ResponseURL"},
		{"a ResponseURL that is no string", `{"ResponseURL":7}`, "no ResponseURL"},
		{"a ResponseURL that is no URL", `{"ResponseURL":"::"}`, "ResponseURL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			answers, err := send(t, dispatcher(h), func() []byte { return []byte(tt.payload) }, new(recorder))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(answers) > 0 || len(h.calls) > 0 {
				t.Errorf("error %v, want one that says %q; answers %v, calls %q", err, tt.want, answers, h.calls)
			}
		})
	}
}

// An event that is wrong but can be answered is answered.
func TestMalformedEventsAreAnswered(t *testing.T) {
	for _, tt := range []struct {
		name   string
		event  payload
		id     string
		reason string
	}{
		{"unknown RequestType", event("Import", object{"PhysicalResourceId": "svc-1"}), "svc-1", "RequestType"},
		{"RequestType in the wrong case", event("create", nil), marker, "RequestType"},
		{"no RequestType", event("Create", object{"RequestType": nil}), marker, "RequestType"},
		{"Update without an ID", event("Update", nil), marker, "PhysicalResourceId"},
		{"Delete without an ID", event("Delete", nil), marker, "PhysicalResourceId"},
		{"a LogicalResourceId that is no string", created(object{"LogicalResourceId": 7}), marker, "LogicalResourceId is not a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			got := invoke(t, dispatcher(h), tt.event)
			if got.Status != "FAILED" || got.PhysicalResourceId != tt.id || !strings.Contains(got.Reason, tt.reason) || len(h.calls) > 0 {
				t.Errorf("%s %s (%s), calls %q; want FAILED %s, one that says %q", got.Status, got.PhysicalResourceId, got.Reason, h.calls, tt.id, tt.reason)
			}
		})
	}
}

// The answer repeats the event's own IDs.
func TestAnswerRepeatsTheIDs(t *testing.T) {
	got := invoke(t, dispatcher(&fake{}), created(object{"RequestId": "r-9", "LogicalResourceId": "Other"}))
	if got.StackId != stackID || got.RequestId != "r-9" || got.LogicalResourceId != "Other" {
		t.Errorf("the answer says %q %q %q", got.StackId, got.RequestId, got.LogicalResourceId)
	}
}

// Invoke fails only if the answer was not delivered; the event that then comes
// again is answered from memory, without the handler.
func TestRedeliveryIsAnsweredFromMemory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   error // of the handler
		first error // of the first delivery
		calls int
	}{
		{"delivered", nil, nil, 1},
		{"delivered, FAILED", errSome, nil, 2}, // CloudFormation's next try of a cleanup may be the same bytes
		{"not delivered", nil, errors.New("no route"), 1},
		{"FAILED, not delivered", errSome, errors.New("no route"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, tt.err })
			d, ev := dispatcher(h), created(nil)()
			same := func() []byte { return ev }
			first, err := send(t, d, same, &recorder{err: tt.first})
			if (err != nil) != (tt.first != nil) {
				t.Errorf("Invoke: %v, want an error only if the delivery failed", err)
			}
			second, err := send(t, d, same, new(recorder))
			if err != nil {
				t.Errorf("Invoke again: %v", err)
			}
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("another answer (-first +second):\n%s", diff)
			}
			if len(h.calls) != tt.calls {
				t.Errorf("calls %q, want %d", h.calls, tt.calls)
			}
		})
	}
}

// CloudFormation uses RequestIds again: another event with the same one is
// another request.
func TestSameRequestIDIsNotTheSameRequest(t *testing.T) {
	h := &fake{}
	d := dispatcher(h)
	invoke(t, d, created(nil))
	invoke(t, d, deleted(stable("a")))
	invoke(t, d, created(object{"age": time.Minute}))
	want := []string{"Create a", "Delete " + stable("a"), "Create a"}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A handler that outlives its answer is waited for by the resource's next
// request: the Create that wakes up must not make its thing after the Delete.
func TestNextRequestWaitsForTheOneBefore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log []string
		h := &fake{
			onCreate: func(_ context.Context, req *create) (data, error) {
				<-time.After(40 * time.Second) // 30 are given
				log = append(log, "made")
				req.Created("late-1")
				return nil, nil
			},
			onDelete: func(context.Context, *del) error { log = append(log, "deleted"); return nil },
		}
		var out bytes.Buffer
		d := dispatcher(h, func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
		got := invoke(t, d, created(nil))
		if got.Status != "FAILED" || !strings.Contains(got.Reason, "Create did not return within 27.75s") {
			t.Errorf("%s (%s), want FAILED that names the operation and the time", got.Status, got.Reason)
		}
		invoke(t, d, deleted(got.PhysicalResourceId))
		if diff := cmp.Diff([]string{"made", "deleted"}, log); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		if !strings.Contains(out.String(), "late-1") {
			t.Errorf("the log does not name what was tracked after the answer:\n%s", &out)
		}
	})
}

// Other resources do not wait.
func TestOtherResourcesDoNotWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			if req.LogicalID == "Topic" {
				return ignoreContext()
			}
			return nil, nil
		})
		d := dispatcher(h)
		invoke(t, d, created(nil))
		start := time.Now()
		invoke(t, d, created(object{"LogicalResourceId": "Other"}))
		if time.Since(start) > 0 {
			t.Errorf("the other resource's Create took %s", time.Since(start))
		}
	})
}

// If the one before does not end, the request fails, with the ID that leads to
// what there may be.
func TestRequestThatCannotWaitLonger(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onUpdate: func(context.Context, *update) (res data, err error) {
			<-time.After(10 * time.Minute)
			return res, nil
		}}
		d := dispatcher(h)
		invoke(t, d, updated("svc-1", "a", "a"))
		got := invoke(t, d, updated("svc-1", "a", "a"))
		if got.Status != "FAILED" || got.PhysicalResourceId != "svc-1" || !strings.Contains(got.Reason, "still runs") {
			t.Errorf("%s %s (%s), want FAILED svc-1, since the one before still runs", got.Status, got.PhysicalResourceId, got.Reason)
		}
		if got := invoke(t, d, created(object{"RequestId": "r2"})); got.PhysicalResourceId != stable("a") {
			t.Errorf("Create: %s, want %s", got.PhysicalResourceId, stable("a"))
		}
		if got := invoke(t, d, deleted("svc-1")); got.Status != "SUCCESS" || h.calls[len(h.calls)-1] != "Delete svc-1" {
			t.Errorf("Delete: %s (%s), calls %q; want it to go on: a handler that hangs must not keep a stack", got.Status, got.Reason, h.calls)
		}
	})
}

// The handler's context ends early enough for the answer, with its own cause.
func TestDeadlines(t *testing.T) {
	for _, tt := range []struct {
		name     string
		lambda   time.Duration // the function's timeout; 0: none
		fields   object
		margin   time.Duration
		handlers time.Duration // how long the handler's context lives
	}{
		{"3 seconds", 3 * time.Second, nil, 0, 2700 * time.Millisecond},
		{"1 second", time.Second, nil, 0, 750 * time.Millisecond},
		{"a minute", time.Minute, nil, 0, 54 * time.Second},
		{"15 minutes", 15 * time.Minute, nil, 0, 15*time.Minute - 10*time.Second},
		{"a margin that is set", time.Minute, nil, 30 * time.Second, 30 * time.Second},
		{"a margin longer than the time", time.Second, nil, time.Minute, 500 * time.Millisecond},
		{"ServiceTimeout is shorter", 15 * time.Minute, object{"ResourceProperties": object{"ServiceTimeout": "60"}}, 0, 54 * time.Second},
		{"ServiceTimeout counts from when the event was sent", 15 * time.Minute, object{"age": 30 * time.Second, "ResourceProperties": object{"ServiceTimeout": "60"}}, 0, 27 * time.Second},
		{"none: CloudFormation's hour", 0, nil, 0, time.Hour - 10*time.Second},
		{"one that is past, as local runs have", -time.Minute, nil, 0, time.Hour - 10*time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var lived time.Duration
				var cause error
				h := creates(func(ctx context.Context, _ *create) (data, error) {
					start := time.Now()
					<-ctx.Done()
					lived, cause = time.Since(start), context.Cause(ctx)
					return nil, nil
				})
				ctx := t.Context()
				if tt.lambda != 0 {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, tt.lambda)
					defer cancel()
				}
				d := dispatcher(h, func(o *cfnresource.Options) { o.ResponseMargin = tt.margin })
				var rec recorder
				if _, err := d.Invoke(hook.WithSender(ctx, &rec), created(tt.fields)()); err != nil || len(rec.bodies) != 1 {
					t.Fatalf("Invoke: %v, %d answers", err, len(rec.bodies))
				}
				if lived != tt.handlers {
					t.Errorf("the handler's context lived %s, want %s", lived, tt.handlers)
				}
				if cause == nil || !strings.Contains(cause.Error(), "out of time") {
					t.Errorf("cause %v, want one of our own", cause)
				}
			})
		})
	}
}

// What passes is tried again until the deadline: a rollback meets the request
// that it overtook.
func TestRetriableCodes(t *testing.T) {
	retriable := []cfnresource.Code{cfnresource.CodeResourceConflict, cfnresource.CodeThrottling, cfnresource.CodeServiceInternalError, cfnresource.CodeNetworkFailure}
	for _, code := range retriable {
		for _, lasting := range []bool{false, true} {
			t.Run(string(code), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					fails := func(calls int) error {
						if lasting || calls < 4 {
							return cfnresource.Errorf(code, "busy")
						}
						return nil
					}
					n := 0
					h := &finder{}
					h.onUpdate = func(context.Context, *update) (res data, err error) {
						n++
						return res, fails(n)
					}
					h.onDelete = func(context.Context, *del) error { n++; return fails(n) }
					h.onFind = func(context.Context, *find) (string, error) { n++; return "", fails(n) }
					want := map[bool]string{false: "SUCCESS", true: "FAILED"}[lasting]
					d := dispatcher(h)
					for _, ev := range []payload{updated("svc-1", "a", "a"), deleted("svc-1"), deleted(stable("a"))} {
						n = 0
						if got := invoke(t, d, ev); got.Status != want || n < 4 {
							t.Errorf("%s (%s) after %d calls, want %s after 4 or more", got.Status, got.Reason, n, want)
						}
						if lasting && n > 20 {
							t.Errorf("%d calls in 30 s, want fewer", n)
						}
					}
				})
			})
		}
	}
	for code, again := range map[cfnresource.Code]bool{
		cfnresource.CodeThrottling:           true, // nothing was made
		cfnresource.CodeResourceConflict:     false,
		cfnresource.CodeServiceInternalError: false,
		cfnresource.CodeNetworkFailure:       false,
	} {
		t.Run("Create "+string(code), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := &finder{}
				h.onCreate = func(context.Context, *create) (data, error) {
					if len(h.calls) > 2 {
						h.onFind = finds(map[string]string{"a": "svc-1"}) // another delivery's
					}
					return nil, cfnresource.Errorf(code, "busy")
				}
				got := invoke(t, dispatcher(h), created(nil))
				want := []string{"Find a", "Create a"} // what it did is not known
				if again {
					want = append(want, "Find a", "Create a", "Find a", "Update svc-1")
				}
				if diff := cmp.Diff(want, h.calls); diff != "" || (got.Status == "SUCCESS") != again {
					t.Errorf("%s, calls (-want +got):\n%s", got.Status, diff)
				}
			})
		})
	}
	t.Run("not other codes", func(t *testing.T) {
		h := &fake{onDelete: func(context.Context, *del) error { return cfnresource.Errorf(cfnresource.CodeAccessDenied, "no") }}
		invoke(t, dispatcher(h), deleted("svc-1"))
		if len(h.calls) != 1 {
			t.Errorf("calls %q, want one", h.calls)
		}
	})
}

// Whatever of the user's code runs on the way to the answer, it is answered.
func TestUserCodeCannotPreventTheAnswer(t *testing.T) {
	panics := func(context.Context, *create) (data, error) { return nil, badError{} }
	tests := []struct {
		name string
		d    invoker
	}{
		{"Error panics", dispatcher(creates(panics))},
		{"a typed nil", dispatcher(creates(func(context.Context, *create) (data, error) { var e *typedNil; return nil, e }))},
		{"a nil *Error", dispatcher(creates(func(context.Context, *create) (data, error) { var e *cfnresource.Error; return nil, e }))},
		{"MarshalJSON panics", dispatcher(creates(func(context.Context, *create) (data, error) { return data{"X": badData{}}, nil }))},
		{"the logger panics", dispatcher(creates(func(context.Context, *create) (data, error) { return nil, errSome }), func(o *cfnresource.Options) { o.Logger = slog.New(badLog{}) })},
		{"a middleware panics", dispatcher(&fake{}, func(o *cfnresource.Options) {
			o.Middleware = append(o.Middleware, func(context.Context, *cfnresource.Operation, func(context.Context) error) error { panic("no") })
		})},
		{"UnmarshalJSON panics", cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[struct{ Name badData }]) (res data, err error) {
			return res, nil
		}), silent)},
		{"Phase panics", dispatcher(creates(func(ctx context.Context, req *create) (data, error) { req.Phase(ctx); return nil, errSome }), func(o *cfnresource.Options) {
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) { panic("no") }
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := invoke(t, tt.d, created(nil)); got.Status != "FAILED" {
				t.Errorf("%s (%s), want FAILED", got.Status, got.Reason)
			}
		})
	}
}

type badError struct{}

func (badError) Error() string { panic("no") }

type typedNil struct{ text string }

func (e *typedNil) Error() string { return e.text }

type badData struct{}

func (badData) MarshalJSON() ([]byte, error)  { panic("no") }
func (*badData) UnmarshalJSON(b []byte) error { panic("no") }

type badLog struct{}

func (badLog) Enabled(context.Context, slog.Level) bool  { panic("no") }
func (badLog) Handle(context.Context, slog.Record) error { panic("no") }
func (l badLog) WithAttrs([]slog.Attr) slog.Handler      { return l }
func (l badLog) WithGroup(string) slog.Handler           { return l }

// Values tagged secret are redacted in what the SDK writes, in the forms in
// which errors quote them.
func TestSecretsAreStruckOut(t *testing.T) {
	const secret, old, out = `hun"ter/2 é`, "previous-one", "made-of-it"
	var logged bytes.Buffer
	type secretData struct {
		Key string `cfn:"secret"`
	}
	texts := []string{secret, old, `hun\"ter/2 é`, "hun%22ter%2F2+%C3%A9", "hun%22ter%2F2%20%C3%A9"}
	for _, panics := range []bool{false, true} {
		d := dispatcher(&fake{onUpdate: func(context.Context, *update) (res data, err error) {
			if panics {
				panic(strings.Join(texts, " and "))
			}
			return res, errors.New(strings.Join(texts, " and "))
		}}, func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		got := invoke(t, d, event("Update", object{
			"PhysicalResourceId":    "svc-1",
			"ResourceProperties":    object{"Secret": secret},
			"OldResourceProperties": object{"Secret": old},
		}))
		for _, text := range append(texts, old) {
			if strings.Contains(got.Reason, text) || strings.Contains(logged.String(), text) {
				t.Errorf("%q is in the Reason or the log:\n%s\n%s", text, got.Reason, &logged)
			}
		}
		if !strings.Contains(got.Reason, "*** and ***") {
			t.Errorf("Reason %q, want the rest kept", got.Reason)
		}
	}
	t.Run("NoEcho", func(t *testing.T) {
		d := cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[props]) (res secretData, _ error) {
			res.Key = out
			return res, nil
		}), silent)
		if got := invoke(t, d, created(nil)); !got.NoEcho || got.Data["Key"] != out {
			t.Errorf("NoEcho %v, Data %v; want true, and the value", got.NoEcho, got.Data)
		}
	})
}

// The Reason says where the log is, in Lambda.
func TestSignedURLStaysOut(t *testing.T) {
	var logged bytes.Buffer
	d := cfnresource.New(&fake{}, func(o *cfnresource.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(&logged, nil))
		o.Sender = &recorder{err: errors.New("no route")}
	})
	_, err := d.Invoke(t.Context(), created(nil)())
	if err == nil {
		t.Fatal("Invoke: nil, want the error of the delivery")
	}
	for _, text := range []string{err.Error(), logged.String()} {
		if strings.Contains(text, "5ec2e7") || strings.Contains(text, "X-Amz") {
			t.Errorf("the signed URL is in %q", text)
		}
	}
}

// The events of an account come with fields that this version does not know.
func TestCapturedShapeIsRead(t *testing.T) {
	var wg sync.WaitGroup
	d := dispatcher(&fake{})
	for i := range 20 { // and by many at once
		wg.Go(func() {
			got := invoke(t, d, created(object{"LogicalResourceId": "R" + string(rune('A'+i)), "NewField": object{"x": json.Number("1")}}))
			if got.Status != "SUCCESS" {
				t.Errorf("%s (%s)", got.Status, got.Reason)
			}
		})
	}
	wg.Wait()
}
