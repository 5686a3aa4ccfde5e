package cfnresource_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

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

// Create asks for its StableID, then takes the name that the template chose,
// which is a stranger's. That it asked proves nothing.
func TestAskingForTheStableIDIsNoProof(t *testing.T) {
	h := &fake{
		onCreate: func(_ context.Context, req *create) (data, error) {
			_ = req.StableID()
			return nil, cfnresource.AlreadyExists(req.Properties.Name)
		},
		onUpdate: func(context.Context, *update) (data, error) {
			t.Error("Update: somebody else's resource was reconfigured")
			return nil, nil
		},
	}
	expect(t, h, created(object{"ResourceProperties": object{"Name": "prod-data"}}), "FAILED", marker)
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
