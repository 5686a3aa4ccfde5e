package cfnresource_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/physicalid"
)

// IDs that CloudFormation could not keep are a failure, and what was made under
// them is not lost to it.
func TestAdversaryUnusableIDs(t *testing.T) {
	for name, id := range map[string]string{
		"too long":           strings.Repeat("x", 1025),
		"blank":              " \t",
		"control characters": "vol-1\x1b[0m\n",
		"the marker":         marker,
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			h := s.assigned()
			h.onCreate = func(_ context.Context, req *create) (data, error) {
				s.assign(req.StableID())
				req.Created(id)
				return nil, nil
			}
			expect(t, h, created(nil), "FAILED", stable("a"))
			expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
			s.holds(t)
		})
	}
}

type brokenError struct{}

func (*brokenError) Error() string { panic("an error that cannot say what it is") }

// Building the answer runs the user's code too.
func TestAdversaryAnswerIsBuiltInsideTheGuard(t *testing.T) {
	for name, err := range map[string]error{
		"a typed nil":          (*brokenError)(nil),
		"an Error that panics": &brokenError{},
		"a nil *Error":         (*cfnresource.Error)(nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := &fake{onUpdate: func(context.Context, *update) (res data, e error) { return res, err }}
			expect(t, h, updated("svc-1", "a", "a"), "FAILED", "svc-1")
		})
	}
}

// Two deliveries of a Create made two things: the Delete removes both.
func TestAdversaryDeleteRemovesTwins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, id := range []string{genID, stable("a")} {
			s := newShelf()
			s.assign(stable("a"))
			s.assign(stable("a"))
			expect(t, s.assigned(), deleted(id), "SUCCESS", id)
			s.holds(t)
		}
	})
}

// The service never had an ID like CloudFormation's and calls it malformed.
func TestAdversaryMalformedIDIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refuse := func(_ context.Context, req *del) error {
			return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "%s is not of the form vol-…", req.PhysicalID)
		}
		expect(t, &finder{fake: fake{onDelete: refuse}}, deleted(genID), "SUCCESS", genID)
		expect(t, &finder{fake: fake{onDelete: refuse}}, deleted(stable("a")), "SUCCESS", stable("a"))
		expect(t, &fake{onDelete: refuse}, deleted(genID), "SUCCESS", genID)
		expect(t, &fake{onDelete: refuse}, deleted("vol-1x"), "FAILED", "vol-1x")
	})
}

// A thing that was deleted by hand is not made again: an Update answers for it.
func TestAdversaryUpdateOfWhatIsGoneMakesNothing(t *testing.T) {
	s := newShelf()
	expect(t, s.named(), updated(stable("a"), "a", "a"), "FAILED", stable("a"))
	s.holds(t)
}

// A resource type that this version does not know.
func TestAdversaryUnknownResourceType(t *testing.T) {
	m := cfnresource.NewDispatcher(silent)
	cfnresource.Handle(m, "Custom::Other", &fake{})
	for _, tt := range []struct {
		p          payload
		status, id string
	}{
		{created(nil), "FAILED", marker},
		{updated("svc-1", "a", "b"), "FAILED", "svc-1"},
		{deleted("svc-1"), "FAILED", "svc-1"},
		{deleted(marker), "SUCCESS", marker},
	} {
		if a := invoke(t, m, tt.p); a.Status != tt.status || a.PhysicalResourceId != tt.id {
			t.Errorf("answered %s %s (%s), want %s %s", a.Status, a.PhysicalResourceId, a.Reason, tt.status, tt.id)
		}
	}
}

// Keys that are the same once they are flattened would hide one another.
func TestAdversaryFlattenedKeysCollide(t *testing.T) {
	h := &fake{onUpdate: func(context.Context, *update) (data, error) {
		return data{"a.b": "1", "a": data{"b": "2"}}, nil
	}}
	expect(t, h, updated("svc-1", "a", "a"), "FAILED", "svc-1")
}

// StableID never has the shape of an ID that CloudFormation makes up: else a
// Delete of one would wait, and look for another.
func TestAdversaryStableIDIsNeverTakenForCloudFormations(t *testing.T) {
	if physicalid.Generated(stable("a"), stackID, "Topic") {
		t.Errorf("%s has the shape of CloudFormation's", stable("a"))
	}
	start := time.Now()
	bubble(t, func(t *testing.T) {
		start = time.Now()
		s := newShelf(stable("a"))
		expect(t, s.named(), deleted(stable("a")), "SUCCESS", stable("a"))
		if took := time.Since(start); took > 0 {
			t.Errorf("the Delete waited %v", took)
		}
	})
}
