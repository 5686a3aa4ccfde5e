package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type find = cfnresource.FindRequest[props]

// Which of Create and Update a changed identity leads to: a replacement only where the event's ID
// is led back to by the old properties and not by the new ones. IdentityChanged is set where the identity changed and the
// resource is updated all the same, and only there: not on the way back.
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
			found(map[string]string{"a": "my-name", "b": "my-name"}), updated("my-name", "a", "b"), []string{"Find b", "Find a", "Update my-name of another identity"}, "my-name"},
		{"changed, explained by neither", "another library's ID", &fake{}, updated("other-1", "a", "b"), []string{"Update other-1 of another identity"}, "other-1"},
		{"changed, explained by neither, with Find", "another library's ID",
			found(nil), updated("other-1", "a", "b"), []string{"Find b", "Find a", "Find b", "Find a", "Update other-1 of another identity"}, "other-1"},
	}
	for _, tt := range tests {
		subtest(t, tt.name, func(t *testing.T) {
			got := invoke(t, dispatcher(tt.handler), tt.event)
			if got.Status != "SUCCESS" || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s (%s), want SUCCESS %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.id, tt.reason)
			}
			if diff := cmp.Diff(tt.calls, calls(tt.handler)); diff != "" {
				t.Errorf("calls (-want +got), since %s:\n%s", tt.reason, diff)
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

// The same value written in another way is no other identity, and neither is
// one that cannot be read.
func TestReformattingReplacesNothing(t *testing.T) {
	type typed struct {
		On    bool          `cfn:"createOnly"`
		Port  int           `cfn:"createOnly"`
		Wait  time.Duration `cfn:"createOnly"`
		Zone  string        `cfn:"createOnly,default=a"`
		Price float64       `cfn:"createOnly"`
	}
	base := object{"ServiceToken": "arn:1", "On": "true", "Port": "80", "Wait": "60s", "Price": "1.5"}
	with := func(fields object) object {
		p := maps.Clone(base)
		maps.Copy(p, fields)
		return p
	}
	for name, props := range map[string]any{
		"a bool":                     with(object{"On": true}),
		"an int":                     with(object{"Port": 80}),
		"a duration":                 with(object{"Wait": "1m"}),
		"a float":                    with(object{"Price": "1.50"}),
		"a default written out":      with(object{"Zone": "a"}),
		"an unknown property":        with(object{"Colour": "red"}),
		"another ServiceToken":       with(object{"ServiceToken": "arn:2"}),
		"a shape that is not read":   with(object{"Zone": object{"Name": "a"}}),
		"old properties that are {}": nil,
	} {
		t.Run(name, func(t *testing.T) {
			created := false
			h := &typedHandler[typed]{onCreate: func() { created = true }}
			d := cfnresource.New(h, silent)
			fields := object{"PhysicalResourceId": "id-1", "ResourceProperties": base, "OldResourceProperties": props}
			a := invoke(t, d, event("Update", fields))
			if a.Status != "SUCCESS" || a.PhysicalResourceId != "id-1" || created || h.identityChanged {
				t.Errorf("answered %s %s (%s), Create called: %v, IdentityChanged: %v", a.Status, a.PhysicalResourceId, a.Reason, created, h.identityChanged)
			}
		})
	}
}

// A typedHandler has properties of its own type.
type typedHandler[P any] struct {
	onCreate        func()
	identityChanged bool
}

func (h *typedHandler[P]) Create(context.Context, *cfnresource.CreateRequest[P]) (res data, err error) {
	if h.onCreate != nil {
		h.onCreate()
	}
	return res, nil
}

func (h *typedHandler[P]) Update(_ context.Context, req *cfnresource.UpdateRequest[P]) (res data, err error) {
	h.identityChanged = req.IdentityChanged
	return res, nil
}

func (h *typedHandler[P]) Delete(context.Context, *cfnresource.DeleteRequest[P]) error { return nil }

// Names shorter than 63 characters keep what makes them different.
func TestShortIDsStayDifferent(t *testing.T) {
	for _, limit := range []int{20, 32, 40, 63} {
		var ids []string
		h := &fake{onCreate: func(_ context.Context, req *create) (res data, err error) {
			ids = append(ids, req.StableID())
			return res, nil
		}}
		for _, name := range []string{"a", "b"} {
			invoke(t, dispatcher(h, func(o *cfnresource.Options) { o.IDLength = limit }), created(object{"ResourceProperties": object{"Name": name}}))
		}
		if len(ids) != 2 || ids[0] == ids[1] || len(ids[0]) > limit || len(ids[1]) > limit {
			t.Errorf("with at most %d characters: %v", limit, ids)
		}
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

// An ID that CloudFormation cannot keep goes out neither after a success nor beside an error, and never reaches a Delete. What was
// made under it is not lost to it.
func TestIDThatCannotBeKept(t *testing.T) {
	for name, id := range map[string]string{
		"5000 bytes": strings.Repeat("x", 5000), "1025 bytes": strings.Repeat("x", 1025),
		"control characters": "vol-1\x1b[0m\n", "blank": " \t", "the marker": marker, "not UTF-8": "vol-\xff1",
	} {
		for _, fails := range []error{nil, errSome} {
			t.Run(fmt.Sprint(name, ", ", fails), func(t *testing.T) {
				s := &service{}
				h := s.found()
				h.onCreate = func(_ context.Context, req *create) (data, error) {
					s.add(req.StableID(), 1)
					req.Created(id)
					return nil, fails
				}
				got := expect(t, h, created(nil), "FAILED", stable("a"))
				if fails != nil && !strings.Contains(got.Reason, fails.Error()) {
					t.Errorf("the Reason is %q, want the handler's own error", got.Reason)
				}
				expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
				s.holds(t)
				if slices.Contains(calls(h), "Delete "+marker) || slices.Contains(calls(h), "Delete") {
					t.Errorf("calls %q: that ID must never reach a handler", calls(h))
				}
			})
		}
	}
}

// What is there already is adopted if it is the Create's own earlier self, and
// brought to the properties by Update.
func TestAdoption(t *testing.T) {
	exists := func(id string, update error) *fake {
		return &fake{
			onCreate: func(context.Context, *create) (data, error) { return nil, cfnresource.AlreadyExists(id) },
			onUpdate: func(_ context.Context, req *cfnresource.UpdateRequest[props]) (res data, err error) {
				if !req.Adopted || req.OldProperties != (props{}) || req.Properties.Size != 1 {
					t.Errorf("Update sees size %d and the old properties %+v (%v), want 1 and none, and Adopted", req.Properties.Size, req.OldProperties, req.OldPropertiesErr)
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
	// taken is a handler whose Create says AlreadyExists, without an ID or with one. From then on Find returns something.
	taken := func(says error, id string, update error) *finder {
		f := &finder{}
		f.onFind = finds(map[string]string{"b": "svc-0"})
		f.onCreate = func(context.Context, *create) (data, error) {
			f.onFind = finds(map[string]string{"a": id, "b": "svc-0"})
			return nil, says
		}
		f.onUpdate = exists("", update).onUpdate
		return f
	}
	nameless := cfnresource.HTTPStatus(409, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "taken"))
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
		{"Create, something else exists, and the StableID was asked for", "that it asked proves nothing",
			creates(func(_ context.Context, req *create) (data, error) {
				_ = req.StableID()
				return nil, cfnresource.AlreadyExists("prod-data")
			}), created(nil), "FAILED", marker, []string{"Create a"}},
		{"Create, several errors say AlreadyExists", "that is not one thing that can be adopted",
			creates(func(_ context.Context, req *create) (data, error) {
				return nil, errors.Join(cfnresource.AlreadyExists(req.StableID()), cfnresource.AlreadyExists("prod-data"))
			}), created(nil), "FAILED", marker, []string{"Create a"}},
		{"Create, AlreadyExists without an ID", "nobody knows whose",
			creates(func(context.Context, *create) (data, error) {
				return nil, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "taken")
			}), created(nil), "FAILED", marker, []string{"Create a"}},
		{"Create, AlreadyExists without an ID, and Find returns it", "another delivery made it meanwhile",
			taken(nameless, "svc-1", nil), created(nil), "SUCCESS", "svc-1", []string{"Find a", "Create a", "Find a", "Update svc-1"}},
		{"that, Update failed", "it is ours: the rollback deletes it",
			taken(nameless, "svc-1", errSome), created(nil), "FAILED", "svc-1", []string{"Find a", "Create a", "Find a", "Update svc-1"}},
		{"Create, AlreadyExists without an ID, and Find returns nothing", "somebody else's",
			taken(nameless, "", nil), created(nil), "FAILED", a, []string{"Find a", "Create a", "Find a"}},
		{"Create, AlreadyExists with Find's ID", "another process may have made it since Find was asked",
			taken(cfnresource.AlreadyExists("svc-1"), "svc-1", nil), created(nil), "SUCCESS", "svc-1", []string{"Find a", "Create a", "Find a", "Update svc-1"}},
		{"Create, AlreadyExists with another ID than Find's", "what it met is somebody else's",
			taken(cfnresource.AlreadyExists("svc-2"), "svc-1", nil), created(nil), "FAILED", a, []string{"Find a", "Create a", "Find a"}},
		{"replacement, AlreadyExists without an ID, and Find returns it", "another delivery made it meanwhile",
			taken(nameless, "svc-1", nil), updated("svc-0", "b", "a"), "SUCCESS", "svc-1",
			[]string{"Find a", "Find b", "Create a replaces svc-0", "Find a", "Update svc-1"}},
		{"that, and Find returns the one to be replaced", "it would be deleted as the old one",
			taken(nameless, "svc-0", nil), updated("svc-0", "b", "a"), "FAILED", "svc-0",
			[]string{"Find a", "Find b", "Create a replaces svc-0", "Find a"}},
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

// The thing is named with the StableID and the ID is its URL: what is adopted
// keeps the URL as its ID.
func TestAdoptionKeepsTheFormOfTheID(t *testing.T) {
	const prefix = "https://queue/"
	s := &service{}
	named := s.named()
	h := &finder{
		fake: fake{onCreate: func(ctx context.Context, req *create) (data, error) {
			_, err := named.onCreate(ctx, req)
			req.Created(prefix + req.StableID())
			return nil, err
		}},
		onFind: func(_ context.Context, req *find) (string, error) {
			if s.update(req.StableID(), 1) != nil {
				return "", nil
			}
			return prefix + req.StableID(), nil
		},
	}
	url := prefix + stable("a")
	expect(t, h, created(nil), "SUCCESS", url)
	expect(t, h, created(nil), "SUCCESS", url) // delivered again
	s.holds(t, stable("a"))
}
