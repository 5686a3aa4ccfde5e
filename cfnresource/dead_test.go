package cfnresource_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
)

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
