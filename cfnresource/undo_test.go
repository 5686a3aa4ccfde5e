package cfnresource_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A replacement fails after its effect, and the service refuses to delete what
// is being created, for minutes. Meanwhile the update is cancelled, rolled back
// and deployed again, which adopts the thing: the old undo must leave it.
func TestOldUndoSparesWhatWasDeployedAgain(t *testing.T) {
	phaseAt := func(o *cfnresource.Options) {
		start := time.Now()
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			switch since := time.Since(start); {
			case since < time.Minute:
				return lifecycle.PhaseUpdating, nil
			case since < 2*time.Minute:
				return lifecycle.PhaseUpdateRollback, nil
			default: // of another operation, as stackphase tells by its time
				return lifecycle.PhaseNotAwaited, nil
			}
		}
	}
	for name, optFns := range map[string][]func(*cfnresource.Options){"phase unknown": nil, "phase known": {phaseAt}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{}
				expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
				s.busy = 4 * time.Minute
				h := s.found()
				makes := h.onCreate
				h.onCreate = func(ctx context.Context, req *create) (data, error) {
					_, _ = makes(ctx, req)
					return nil, errSome
				}
				var wg sync.WaitGroup
				wg.Go(func() { within(t, 15*time.Minute, h, updated("svc-1", "a", "b"), optFns...) })
				<-time.After(3 * time.Minute)
				expect(t, s.found(), updated("svc-1", "a", "b"), "SUCCESS", "svc-2") // adopted
				wg.Wait()
				s.busy = 0
				expect(t, s.found(), deleted("svc-1"), "SUCCESS", "svc-1")
				s.holds(t, "svc-2")
			})
		})
	}
}

// A Create whose event comes again after its stack has rolled an update back
// makes the same thing again, by its client token: what the stack has under the
// logical ID is in use, which the phase says.
func TestLateCreateSparesWhatIsInUse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{}
		s.add("", 1)
		again := creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil })
		again.onDelete = s.found().onDelete
		phase := func(o *cfnresource.Options) {
			o.Phase = func(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
				if op.CreatedID == "svc-1" { // DescribeStackResource has it, and it is not being deleted
					return lifecycle.PhaseNotAwaited, nil
				}
				return lifecycle.PhaseGivenUp, nil
			}
		}
		within(t, time.Minute, again, created(object{"age": 11 * time.Second}), phase)
		s.holds(t, "svc-1")
	})
}

// What a failed replacement made is busy for 8 s. Where it is known that the
// update goes on, the undo waits for it; else CloudFormation is told the new ID,
// and deletes it.
func TestUndoOfWhatIsBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		optFns []func(*cfnresource.Options)
		id     string
	}{
		"phase known":   {[]func(*cfnresource.Options){tells(lifecycle.PhaseUpdating).option}, "svc-1"},
		"phase unknown": {nil, "svc-2"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &service{}
				expect(t, s.found(), created(nil), "SUCCESS", "svc-1")
				s.busy = 8 * time.Second
				h := s.found()
				makes := h.onCreate
				h.onCreate = func(ctx context.Context, req *create) (data, error) {
					_, _ = makes(ctx, req)
					return nil, errSome
				}
				expect(t, h, updated("svc-1", "a", "b"), "FAILED", tt.id, tt.optFns...)
				if tt.id == "svc-2" { // S41
					<-time.After(8 * time.Second)
					expect(t, s.found(), event("Delete", object{"PhysicalResourceId": "svc-2", "ResourceProperties": object{"Name": "b"}}), "SUCCESS", "svc-2")
				}
				s.holds(t, "svc-1")
			})
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

// What Find would find after a replacement that failed may be another request's
// work: only what this call said Created is undone.
func TestReplacementThatFailedIsNotLookedFor(t *testing.T) {
	h := &finder{}
	h.onCreate = func(context.Context, *create) (data, error) {
		h.onFind = finds(map[string]string{"a": "svc-1", "b": "svc-2"}) // made, though the call failed
		return nil, errSome
	}
	h.onFind = finds(map[string]string{"a": "svc-1"})
	got := invoke(t, dispatcher(h), updated("svc-1", "a", "b"))
	if got.Status != "FAILED" || got.PhysicalResourceId != "svc-1" {
		t.Errorf("%s %s, want FAILED svc-1", got.Status, got.PhysicalResourceId)
	}
	if slices.ContainsFunc(h.calls, func(call string) bool { return strings.HasPrefix(call, "Delete") }) {
		t.Errorf("calls %q, want no Delete", h.calls)
	}
}
