package cfnresource_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type find = cfnresource.FindRequest[props]

// Which of Create and Update a changed identity leads to: a replacement only
// where the event's ID is led back to by the old properties and not by the
// new ones.
func TestUpdateByIdentity(t *testing.T) {
	a, b := stable("a"), stable("b")
	found := func(ids map[string]string) *finder { return &finder{onFind: finds(ids)} }
	olds := func(old any) payload {
		return event("Update", object{"PhysicalResourceId": a, "ResourceProperties": object{"Name": "b"}, "OldResourceProperties": old})
	}
	tests := []struct {
		name, reason string
		handler      any
		event        payload
		calls        []string
		id           string
	}{
		{"unchanged, any ID", "also one of another library's", &fake{}, updated("2024/01/01/[$LATEST]abc", "a", "a"),
			[]string{"Update 2024/01/01/[$LATEST]abc"}, "2024/01/01/[$LATEST]abc"},
		{"unchanged, a StableID of other properties", "createOnly tags changed between versions", &fake{}, updated(b, "a", "a"), []string{"Update " + b}, b},
		{"unknown: the old properties are missing", "unknown is never a replacement", &fake{}, olds(nil), []string{"Update " + a}, a},
		{"unknown: the old properties are not an object", "unknown is never a replacement", &fake{}, olds("x"), []string{"Update " + a}, a},
		{"unknown: the old identity cannot be read", "an older version's shape", &fake{}, olds(object{"Name": object{"Is": "a"}}), []string{"Update " + a}, a},
		{"an old property beside the identity cannot be read", "it says nothing of the identity", &fake{},
			olds(object{"Name": "a", "Size": "large"}), []string{"Create b replaces " + a}, b},

		{"changed, named, explained by the new properties", "the way back from a replacement that failed", &fake{}, updated(b, "a", "b"), []string{"Update " + b}, b},
		{"changed, found, explained by the new properties", "the way back from a replacement that failed",
			found(map[string]string{"b": "svc-1"}), updated("svc-1", "a", "b"), []string{"Find b", "Find a", "Update svc-1"}, "svc-1"},
		{"changed, named, explained by the old properties", "a replacement", &fake{}, updated(a, "a", "b"), []string{"Create b replaces " + a}, b},
		{"changed, found, explained by the old properties", "a replacement",
			found(map[string]string{"a": "svc-1"}), updated("svc-1", "a", "b"), []string{"Find b", "Find a", "Create b replaces svc-1"}, b},
		{"changed, and Find knows the new one", "the first delivery's, or what a rollback leads back to: adopted",
			found(map[string]string{"a": "svc-1", "b": "svc-2"}), updated("svc-1", "a", "b"), []string{"Find b", "Find a", "Update svc-2"}, "svc-2"},
		{"changed, explained by both", "a chosen name was kept",
			found(map[string]string{"a": "my-name", "b": "my-name"}), updated("my-name", "a", "b"), []string{"Find b", "Find a", "Update my-name"}, "my-name"},
		{"changed, explained by neither", "another library's ID", &fake{}, updated("other-1", "a", "b"), []string{"Update other-1"}, "other-1"},
		{"changed, explained by neither, with Find", "another library's ID",
			found(nil), updated("other-1", "a", "b"), []string{"Find b", "Find a", "Find b", "Find a", "Update other-1"}, "other-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				got := invoke(t, dispatcher(tt.handler), tt.event)
				if got.Status != "SUCCESS" || got.PhysicalResourceId != tt.id {
					t.Errorf("%s %s (%s), want SUCCESS %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.id, tt.reason)
				}
				if diff := cmp.Diff(tt.calls, calls(tt.handler)); diff != "" {
					t.Errorf("calls (-want +got), since %s:\n%s", tt.reason, diff)
				}
			})
		})
	}
}

// IdentityChanged is set where the identity changed and the resource is
// updated all the same, and only there: not on the way back.
func TestIdentityChangedIsSaid(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event payload
		want  bool
	}{
		{"explained by neither", updated("other-1", "a", "b"), true},
		{"the way back", updated(stable("b"), "a", "b"), false},
		{"unchanged", updated("other-1", "a", "a"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got bool
			h := &fake{onUpdate: func(_ context.Context, req *update) (res data, err error) {
				got = req.IdentityChanged
				return res, nil
			}}
			invoke(t, dispatcher(h), tt.event)
			if got != tt.want {
				t.Errorf("IdentityChanged is %v, want %v", got, tt.want)
			}
		})
	}
}

// If Find fails, nothing is known, and nothing is done.
func TestUpdateWhoseFindFailsDoesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &finder{onFind: func(context.Context, *find) (string, error) { return "", errSome }}
		start := time.Now()
		got := invoke(t, dispatcher(h), updated("svc-1", "a", "b"))
		if got.Status != "FAILED" || got.PhysicalResourceId != "svc-1" {
			t.Errorf("%s %s, want FAILED svc-1", got.Status, got.PhysicalResourceId)
		}
		if took := time.Since(start); took < 2*time.Second || took > 8*time.Second {
			t.Errorf("took %s, want a few seconds of tries: Find only reads", took)
		}
		if n := len(h.calls); n < 2 || !slices.Equal(slices.Compact(h.calls), []string{"Find b"}) {
			t.Errorf("%d calls %q, want Find b a few times", n, h.calls)
		}
	})
}

// What is there already is adopted if it is the Create's own earlier self, and
// brought to the properties by Update.
func TestAdoption(t *testing.T) {
	exists := func(id string, update error) *fake {
		return &fake{
			onCreate: func(context.Context, *create) (data, error) { return nil, cfnresource.AlreadyExists(id) },
			onUpdate: func(_ context.Context, req *cfnresource.UpdateRequest[props]) (res data, err error) {
				if !req.Adopted || req.OldProperties != (props{}) {
					t.Errorf("Update sees the old properties %+v (%v), want none, and Adopted", req.OldProperties, req.OldPropertiesErr)
				}
				res = data{"By": "Update"}
				return res, update
			},
		}
	}
	foundFirst := func(update error) *finder {
		f := &finder{onFind: finds(map[string]string{"a": "svc-1"})}
		f.onUpdate = exists("", update).onUpdate
		return f
	}
	a, b := stable("a"), stable("b")
	gone := cfnresource.Errorf(cfnresource.CodeNotFound, "gone")
	tests := []struct {
		name, reason string
		handler      any
		event        payload
		status, id   string
		calls        []string
	}{
		{"Create, StableID exists", "nobody else can have that name", exists(a, nil), created(nil), "SUCCESS", a, []string{"Create a", "Update " + a}},
		{"Create, StableID exists, Update failed", "it is ours: the rollback deletes it", exists(a, errSome), created(nil), "FAILED", a, []string{"Create a", "Update " + a}},
		{"Create, StableID exists, but there is nothing", "somebody else's after all", exists(a, gone), created(nil), "FAILED", marker, []string{"Create a", "Update " + a}},
		{"Create, something else exists", "somebody else's", exists("prod-data", nil), created(nil), "FAILED", marker, []string{"Create a"}},
		{"Create, AlreadyExists without an ID", "nobody knows whose",
			creates(func(context.Context, *create) (data, error) {
				return nil, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "taken")
			}), created(nil), "FAILED", marker, []string{"Create a"}},
		{"Create, found first", "delivered before", foundFirst(nil), created(nil), "SUCCESS", "svc-1", []string{"Find a", "Update svc-1"}},
		{"Create, found first, Update failed", "it is ours: the rollback deletes it", foundFirst(errSome), created(nil), "FAILED", "svc-1", []string{"Find a", "Update svc-1"}},
		{"rollback of a replacement that succeeded", "the first resource still exists: it is adopted, and the second deleted",
			exists(a, nil), updated(b, "b", "a"), "SUCCESS", a, []string{"Create a replaces " + b, "Update " + a}},
		{"that rollback, Update failed", "what was adopted is never undone", exists(a, errSome), updated(b, "b", "a"), "FAILED", b, []string{"Create a replaces " + b, "Update " + a}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := invoke(t, dispatcher(tt.handler), tt.event)
			if got.Status != tt.status || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s (%s), want %s %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id, tt.reason)
			}
			if got.Status == "SUCCESS" && got.Data["By"] != "Update" {
				t.Errorf("Data is %v, want Update's", got.Data)
			}
			if diff := cmp.Diff(tt.calls, calls(tt.handler)); diff != "" {
				t.Errorf("calls (-want +got), since %s:\n%s", tt.reason, diff)
			}
		})
	}
}

// A Delete with an ID that CloudFormation made up, or with the StableID where
// the ID is the service's, goes to what is there. One that CloudFormation made
// up may have overtaken its Create, so it comes back when that must have ended.
func TestLostDelete(t *testing.T) {
	a := stable("a")
	notFound := cfnresource.Errorf(cfnresource.CodeNotFound, "gone")
	invalid := cfnresource.Errorf(cfnresource.CodeInvalidRequest, "malformed")
	deletes := func(err error) *fake { return &fake{onDelete: func(context.Context, *del) error { return err }} }
	// knows is a handler whose service holds some things of the resource.
	knows := func(ids ...string) *finder {
		f := &finder{onFind: func(context.Context, *find) (string, error) {
			if len(ids) == 0 {
				return "", nil
			}
			return ids[0], nil
		}}
		f.onDelete = func(_ context.Context, req *del) error {
			if len(ids) == 0 || req.PhysicalID != ids[0] {
				return notFound
			}
			ids = ids[1:]
			return nil
		}
		return f
	}
	tests := []struct {
		name, reason string
		handler      any
		id           string
		status       string
		calls        []string
		takes        time.Duration // of the function's 30 s
	}{
		{"named, something there or not", "nil does not tell: an older provider may have made such an ID", deletes(nil), genID, "SUCCESS",
			[]string{"Delete " + a, "Delete " + genID, "Delete " + a}, 27 * time.Second},
		{"named, nothing there", "an older provider may have made such an ID", deletes(notFound), genID, "SUCCESS",
			[]string{"Delete " + a, "Delete " + genID, "Delete " + a}, 27 * time.Second},
		{"named, and the service refuses such an ID", "then it is none of its own", deletes(invalid), genID, "SUCCESS",
			[]string{"Delete " + a, "Delete " + genID, "Delete " + a}, 27 * time.Second},
		{"named, failed", "it is still there", deletes(errSome), genID, "FAILED", []string{"Delete " + a}, 0},
		{"found, something there", "until Find finds nothing", knows("svc-1"), genID, "SUCCESS",
			[]string{"Find a", "Delete svc-1", "Find a", "Find a"}, 27 * time.Second},
		{"found, two there", "two deliveries made two", knows("svc-1", "svc-2"), genID, "SUCCESS",
			[]string{"Find a", "Delete svc-1", "Find a", "Delete svc-2", "Find a", "Find a"}, 27 * time.Second},
		{"found, nothing there", "an older provider may have made such an ID", knows(), genID, "SUCCESS",
			[]string{"Find a", "Delete " + genID, "Find a"}, 27 * time.Second},
		{"found, and it has such an ID", "then it is the resource's own", knows(genID), genID, "SUCCESS", []string{"Find a", "Delete " + genID}, 0},
		{"found, StableID", "the answer to a Create that failed", knows("svc-1"), a, "SUCCESS", []string{"Find a", "Delete svc-1", "Find a"}, 0},
		{"found, StableID, nothing there", "a version without Find may have made it", knows(), a, "SUCCESS", []string{"Find a", "Delete " + a, "Find a"}, 6 * time.Second},
		{"named, StableID", "its own ID", deletes(nil), a, "SUCCESS", []string{"Delete " + a}, 0},
		{"any other ID", "an ordinary Delete", deletes(nil), "svc-1", "SUCCESS", []string{"Delete svc-1"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				start := time.Now()
				got := invoke(t, dispatcher(tt.handler), deleted(tt.id))
				if got.Status != tt.status || got.PhysicalResourceId != tt.id {
					t.Errorf("%s %s (%s), want %s %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id, tt.reason)
				}
				if diff := cmp.Diff(tt.calls, calls(tt.handler)); diff != "" {
					t.Errorf("calls (-want +got), since %s:\n%s", tt.reason, diff)
				}
				if took := time.Since(start); took != tt.takes {
					t.Errorf("took %s, want %s: the function's timeout, less the margin, or FindLag", took, tt.takes)
				}
			})
		})
	}
}

// The wait is LostGrace after the Delete was sent where that is set, and a second
// more: the signed URL tells whole seconds.
func TestLostGrace(t *testing.T) {
	for _, tt := range []struct {
		name         string
		grace, age   time.Duration
		takes        time.Duration
		wantedPasses int
	}{
		{"set", 10 * time.Second, 0, 11 * time.Second, 3},
		{"counts from when the event was sent", 10 * time.Second, 4 * time.Second, 7 * time.Second, 3},
		{"over when the event comes", 10 * time.Second, 12 * time.Second, 0, 2},
		{"longer than the function may run", time.Hour, 0, 27 * time.Second, 3},
		{"the longest there is", math.MaxInt64, 0, 27 * time.Second, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := &fake{}
				d := dispatcher(h, func(o *cfnresource.Options) { o.LostGrace = tt.grace })
				start := time.Now()
				got := invoke(t, d, event("Delete", object{"PhysicalResourceId": genID, "age": tt.age}))
				if got.Status != "SUCCESS" || time.Since(start) != tt.takes || len(h.calls) != tt.wantedPasses {
					t.Errorf("%s after %s with %q, want SUCCESS after %s with %d calls", got.Status, time.Since(start), h.calls, tt.takes, tt.wantedPasses)
				}
			})
		})
	}
}

// What CloudFormation has given up does not reach the handler.
func TestAge(t *testing.T) {
	timeout := object{"ServiceTimeout": "60", "Name": "a"}
	tests := []struct {
		name   string
		event  payload
		called bool
	}{
		{"Create within its ServiceTimeout", created(object{"age": 59 * time.Second, "ResourceProperties": timeout}), true},
		{"Create older", created(object{"age": 61 * time.Second, "ResourceProperties": timeout}), false},
		{"Create within an hour, the default", created(object{"age": 59 * time.Minute}), true},
		{"Create older than an hour", created(object{"age": 61 * time.Minute}), false},
		{"ServiceTimeout as a number", created(object{"age": 61 * time.Second, "ResourceProperties": object{"ServiceTimeout": 60}}), false},
		{"ServiceTimeout at the top", created(object{"age": 61 * time.Second, "ServiceTimeout": "60"}), false},
		{"Update older", event("Update", object{"age": 61 * time.Second, "ResourceProperties": timeout, "PhysicalResourceId": "svc-1"}), false},
		{"Delete older than its ServiceTimeout", event("Delete", object{"age": 61 * time.Second, "ResourceProperties": timeout, "PhysicalResourceId": "svc-1"}), true},
		{"Delete older than an hour", event("Delete", object{"age": 61 * time.Minute, "PhysicalResourceId": "svc-1"}), false},
		{"no date in the URL", created(object{"ResponseURL": "https://example.com/cloudformation-response"}), true},
		{"SigV2: Expires less two hours", created(object{"ResponseURL": "https://example.com/?Expires=1600000000&Signature=x"}), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			got := invoke(t, dispatcher(h), tt.event)
			if called := len(h.calls) > 0; called != tt.called || (got.Status == "SUCCESS") != tt.called {
				t.Errorf("calls %q, %s (%s); want called: %v", h.calls, got.Status, got.Reason, tt.called)
			}
		})
	}
}
