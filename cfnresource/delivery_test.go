package cfnresource_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/response"
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

// Invoke fails only if the answer was not delivered; the event that then comes
// again is answered from memory, without the handler, and leaves a record of that.
func TestRedeliveryIsAnsweredFromMemory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event payload
		err   error // of the handler
		first error // of the first delivery
		calls int
	}{
		{"delivered", created(nil), nil, nil, 1},
		{"delivered, FAILED", created(nil), errSome, nil, 1},               // nobody would delete what is made now
		{"a Delete, delivered, FAILED", deleted("svc-1"), errSome, nil, 2}, // CloudFormation's next try of a cleanup may be the same bytes
		{"not delivered", created(nil), nil, errors.New("no route"), 1},
		{"FAILED, not delivered", created(nil), errSome, errors.New("no route"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{
				onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, tt.err },
				onDelete: func(context.Context, *del) error { return tt.err },
			}
			option, log := logged()
			d, ev := dispatcher(h, option), tt.event()
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
			if again := strings.Contains(log.String(), "answered again as before"); again != (tt.calls == 1) {
				t.Errorf("logged, after %d calls: %s", tt.calls, log)
			}
		})
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

// A bucket is a recorder that knows its way, as the real Sender does.
type bucket struct{ recorder }

func (*bucket) Check(response.URL) error { return nil }

func (*bucket) Connect(context.Context, response.URL) error { return nil }

// An invocation that is cancelled before it begins is answered all the same.
func TestCancelledInvocationIsAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var to bucket
	h := &fake{}
	if _, err := dispatcher(h).Invoke(hook.WithSender(ctx, &to), created(nil)()); err != nil || len(to.bodies) != 1 {
		t.Fatalf("%d answers, %v", len(to.bodies), err)
	}
	if got := judge(t, to.bodies[0]); got.Status != "FAILED" || len(calls(h)) > 0 {
		t.Errorf("%s (%s) after %q, want FAILED without a call", got.Status, got.Reason, calls(h))
	}
}

type badConnector struct{ recorder }

func (*badConnector) Check(response.URL) error { panic("no") }

func (*badConnector) Connect(context.Context, response.URL) error { panic("no") }

// A Sender is the user's code too.
func TestSenderThatPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		if err := deliverTo(t, dispatcher(&fake{}), new(badConnector), time.Second, created(nil)); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("Check: %v, want an error that says so", err)
		}
		panics := senderFunc(func(context.Context, response.URL, []byte) error { panic("no") })
		if err := deliverTo(t, dispatcher(&fake{}), panics, time.Second, created(nil)); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("Send: %v, want an error that says so", err)
		}
	})
}

// Invoke returns before Lambda ends the process, whatever the Sender does: what
// was done is remembered in it.
func TestInvokeReturnsBeforeTheDeadline(t *testing.T) {
	for name, s := range map[string]senderFunc{
		"heeds its context": func(ctx context.Context, _ response.URL, _ []byte) error { <-ctx.Done(); return ctx.Err() },
		"does not":          func(context.Context, response.URL, []byte) error { <-time.After(time.Minute); return nil },
	} {
		subtest(t, name, func(t *testing.T) {
			start := time.Now()
			err := deliverTo(t, dispatcher(&fake{}), s, 30*time.Second, created(nil))
			if took := time.Since(start); err == nil || took >= 30*time.Second {
				t.Errorf("%v after %s", err, took)
			}
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

// The answer goes to CloudFormation's bucket in the function's own region, and
// to no look-alike that anybody could register.
func TestAnswersGoNowhereElse(t *testing.T) {
	t.Setenv("AWS_REGION", "us-west-2")
	genuine := signedURL(time.Now(), "r1")
	for name, change := range map[string][2]string{
		"a region that nobody has": {"response-uswest2.s3-us-west-2", "response-uswest9.s3-us-west-9"},
		"another region's":         {"response-uswest2.s3-us-west-2", "response-useast1.s3-us-east-1"},
		"another bucket":           {"cloudformation-custom", "cloudformation-custom-evil"},
		"another domain":           {"amazonaws.com/", "amazonaws.com.evil.example/"},
		"plain http":               {"https://", "http://"},
		"a name before the host":   {"https://", "https://cloudformation@evil.example/"},
	} {
		t.Run(name, func(t *testing.T) {
			url := strings.Replace(genuine, change[0], change[1], 1)
			h := &fake{}
			_, err := dispatcher(h).Invoke(t.Context(), created(object{"ResponseURL": url})())
			if err == nil || len(calls(h)) > 0 {
				t.Errorf("Invoke: %v, calls: %v", err, calls(h))
			}
			if err != nil && strings.Contains(err.Error(), "Signature") {
				t.Errorf("the error holds the signature: %v", err)
			}
		})
	}
}

// A process that died is answered for: what it did is not known.
func TestTheDeadAreAnsweredFor(t *testing.T) {
	a := stable("a")
	tests := []struct {
		name, reason string
		event        payload
		status, id   string
	}{
		{"Create", "its Delete reaches the handler and can hit nobody else's", created(nil), "FAILED", a},
		{"Update in place", "an update never changes the ID", updated("svc-1", "a", "a"), "FAILED", "svc-1"},
		{"replacement", "the one way back that is documented", updated(a, "a", "b"), "FAILED", a},
		{"Update of the marker", "as a Create", updated(marker, "a", "b"), "FAILED", stable("b")},
		{"Delete", "it may be there still", deleted("svc-1"), "FAILED", "svc-1"},
		{"Delete of the marker", "there is nothing to know", deleted(marker), "SUCCESS", marker},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			got := invoke(t, dispatcher(h), died(tt.event))
			if got.Status != tt.status || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s, want %s %s, since %s", got.Status, got.PhysicalResourceId, tt.status, tt.id, tt.reason)
			}
			if len(h.calls) > 0 {
				t.Errorf("the handler was called: %q", h.calls)
			}
			if tt.status == "FAILED" && !strings.Contains(got.Reason, "signal: killed") {
				t.Errorf("Reason %q does not say how it died", got.Reason)
			}
		})
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

// A record whose URL has expired is no reason to deliver it again for ever.
func TestRecordThatCloudFormationGaveUp(t *testing.T) {
	ctx := hook.WithSender(t.Context(), &recorder{err: errors.New("403 Forbidden: Request has expired")})
	p := died(created(object{"age": 3 * time.Hour}))
	if _, err := dispatcher(&fake{}).Invoke(ctx, p()); err != nil {
		t.Errorf("Invoke: %v", err)
	}
}

// A record of the dead is answered for also by a version that is misconfigured.
func TestDeadAreAnsweredForByAMisconfiguredFunction(t *testing.T) {
	d := dispatcher(&fake{}, func(o *cfnresource.Options) { o.LostGrace = -1 })
	if got := invoke(t, d, died(created(nil))); got.PhysicalResourceId != stable("a") {
		t.Errorf("%s (%s), want %s: what the dead made would leak", got.PhysicalResourceId, got.Reason, stable("a"))
	}
}
