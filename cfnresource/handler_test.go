package cfnresource_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// An Action runs on Create and each Update, under its StableID, and has nothing to delete.
func TestAction(t *testing.T) {
	var ids []string
	var olds []error
	var adopted []bool
	d := cfnresource.New(cfnresource.Action(func(_ context.Context, req *cfnresource.UpdateRequest[props]) (res data, err error) {
		ids, olds, adopted = append(ids, req.PhysicalID), append(olds, req.OldPropertiesErr), append(adopted, req.Adopted)
		res = data{"N": len(ids)}
		return res, nil
	}), silent)
	a, b := stable("a"), stable("b")
	if got := invoke(t, d, created(nil)); got.PhysicalResourceId != a || got.Data["N"] != "1" {
		t.Errorf("Create: %s %v", got.PhysicalResourceId, got.Data)
	}
	if got := invoke(t, d, updated(a, "a", "a")); got.PhysicalResourceId != a || got.Data["N"] != "2" {
		t.Errorf("Update: %s %v", got.PhysicalResourceId, got.Data)
	}
	if got := invoke(t, d, updated(a, "a", "b")); got.PhysicalResourceId != b || got.Data["N"] != "3" {
		t.Errorf("replacement: %s %v", got.PhysicalResourceId, got.Data)
	}
	if got := invoke(t, d, deleted(a)); got.Status != "SUCCESS" || len(ids) != 3 {
		t.Errorf("Delete: %s, run %d times", got.Status, len(ids))
	}
	if diff := cmp.Diff([]string{a, a, b}, ids); diff != "" {
		t.Errorf("IDs (-want +got):\n%s", diff)
	}
	if olds[0] == nil || olds[1] != nil || !slices.Equal(adopted, []bool{true, false, true}) {
		t.Errorf("OldPropertiesErr %v, Adopted %v; want them for the Creates only", olds, adopted)
	}
}
