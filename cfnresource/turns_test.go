package cfnresource_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

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
			t.Errorf("the log does not name what was named after the answer:\n%s", &out)
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

// If the one before does not end, the request fails, with the ID that leads to what there may be.
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

// CloudFormation uses RequestIds again: another event with the same one is another request.
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
