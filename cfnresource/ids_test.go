package cfnresource_test

import (
	"context"
	"strings"
	"testing"
)

// The Delete of a marker is answered also if the event lacks its own IDs.
func TestMarkerWithoutIDsIsAnswered(t *testing.T) {
	for _, field := range []string{"RequestId", "StackId", "LogicalResourceId"} {
		if got := invoke(t, dispatcher(&fake{}), event("Delete", object{"PhysicalResourceId": marker, field: nil})); got.Status == "" {
			t.Errorf("without %s: no answer", field)
		}
	}
}

// An ID that CloudFormation cannot keep is a failure, and what was made under it is not lost to it.
func TestIDThatCannotBeKept(t *testing.T) {
	for name, id := range map[string]string{
		"too long":           strings.Repeat("x", 1025),
		"blank":              " \t",
		"control characters": "vol-1\x1b[0m\n",
		"the marker":         marker,
	} {
		t.Run(name, func(t *testing.T) {
			s := &service{}
			h := s.found()
			h.onCreate = func(_ context.Context, req *create) (data, error) {
				s.add(req.StableID(), 1)
				req.Created(id)
				return nil, nil
			}
			expect(t, h, created(nil), "FAILED", stable("a"))
			expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
			s.holds(t)
		})
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
