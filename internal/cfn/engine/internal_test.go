package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// TestRegisteredAnswers: answers that the contract does not know fail the
// resource, and nothing panics.
func TestRegisteredAnswers(t *testing.T) {
	thing := &ResourceType{Name: "Example::Depot::Crate", PrimaryIdentifier: []string{"Id"}}
	for answer, want := range map[string]string{
		`{"status":"SUCCESS","resourceModel":{"Id":"x"}}`:                              "",
		`{"status":"SUCCESS","resourceModel":{"Name":"a"}}`:                            "no primary identifier",
		`{"status":"SUCCESS","resourceModel":null}`:                                    "no primary identifier",
		`{"status":"IN_PROGRESS","resourceModel":{"Id":1.5}}`:                          "",
		`{"status":"IN_PROGRESS"}`:                                                     "no primary identifier",
		`{"status":"IN_PROGRESS","resourceModel":{"Id":"x"},"callbackContext":"next"}`: "no object", // a resumed stack would not have it
		`{"status":"IN_PROGRESS","resourceModel":{"Id":"x"},"callbackContext": null}`:  "",
		`{"status":"PENDING","resourceModel":{"Id":"x"}}`:                              "no status",
		`{"status":"FAILED"}`:                                                          "HandlerErrorCode: InternalFailure",
		`{"status":1}`:                                                                 "no ProgressEvent",
		`nothing`:                                                                      "no ProgressEvent",
		`null`:                                                                         "no status",
		`{"status":"SUCCESS","resourceModel":{"Id":"` + strings.Repeat("x", MaxPhysicalID+1) + `"}}`: "cannot be the resource's",
	} {
		v := thing.judge(&Request{RequestType: "Create", Calls: 1}, []byte(answer), nil)
		if ok := v.outcome == Succeeded || v.outcome == Pending; ok != (want == "") || !strings.Contains(v.reason, want) {
			t.Errorf("%.60s: %s %s, want %q", answer, v.outcome, v.reason, want)
		}
	}
	v := thing.judge(&Request{RequestType: "Create", Calls: 2, Made: "x"}, []byte(`{"status":"SUCCESS","resourceModel":{"Id":"y"}}`), nil)
	if v.ok() || v.physicalID != "x" {
		t.Errorf("another identifier than that of the call before: %s of %s, want a failure of x", v.outcome, v.physicalID)
	}
}

// TestIdentifiers: Ref gives the parts of an identifier with | between them. A request has
// each where the schema has it, as the resource's model has it, and not what the ID looks
// like: another resource would be deleted, or the resource would be lost.
func TestIdentifiers(t *testing.T) {
	bar := map[string]any{"Place": "north|east", "Id": json.Number("7"), "Size": json.Number("1")}
	nested := map[string]any{"Endpoint": map[string]any{"Id": "e-1", "Port": "80"}}
	for _, test := range []struct {
		name       string
		identifier []string
		id         string
		properties Properties
		of, model  map[string]any // that the ID is of, and that is known
		want       Properties
	}{
		{"two parts", []string{"Place", "Id"}, "north|7", `{"Size":1}`, map[string]any{"Id": json.Number("7"), "Place": "north"}, nil, `{"Id":"7","Place":"north","Size":1}`},
		{"a bar in a part", []string{"Place", "Id"}, "north|east|7", "{}", bar, bar, `{"Id":7,"Place":"north|east"}`},
		{"another one's model", []string{"Place", "Id"}, "north|east|7", "{}", bar, map[string]any{"Place": "south", "Id": "7"}, `{"Id":"east|7","Place":"north"}`},
		{"no model", []string{"Place", "Id"}, "north|east|7", "{}", bar, nil, `{"Id":"east|7","Place":"north"}`},
		{"within an object", []string{"Endpoint/Id"}, "e-1", `{"Endpoint":{"Port":"80"},"Size":1}`, nested, nested, `{"Endpoint":{"Id":"e-1","Port":"80"},"Size":1}`},
		{"within an object that is not there", []string{"Endpoint/Id"}, "e-1", "{}", nested, nil, `{"Endpoint":{"Id":"e-1"}}`},
	} {
		typ := &ResourceType{PrimaryIdentifier: test.identifier}
		id := typ.id(test.of)
		if got := typ.withIdentifier(test.properties, id, test.model); id != test.id || got != test.want {
			t.Errorf("%s: %s in %s, want %s in %s", test.name, id, got, test.id, test.want)
		}
	}
}

// TestNestedName: the names of public nested stacks without their suffixes: the parent's
// name is whole, and the logical ID is cut.
func TestNestedName(t *testing.T) {
	for _, c := range []struct{ parent, logicalID, want string }{
		{"CdkStackALBEksBg", "awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterResourceProviderNestedStackResource9827C454",
			"CdkStackALBEksBg-awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterReso"},
		{"k8s-cluster-eu-north-1", "awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterResourceProviderNestedStackResource9827C454",
			"k8s-cluster-eu-north-1-awscdkawseksClusterResourceProviderNestedStackawscdkawseksClust"},
		{"stable-diffusion-aws", "SdDBTrainStackNestedStackSdDBTrainStackNestedStackResource2C42E66E",
			"stable-diffusion-aws-SdDBTrainStackNestedStackSdDBTrainStackNestedStackResource2C42E66"},
		{"stable-diffusion-aws", "SdAsyncInferStNestedStackSdAsyncInferStNestedStackResourceD29D0642",
			"stable-diffusion-aws-SdAsyncInferStNestedStackSdAsyncInferStNestedStackResourceD29D064"},
		{"stable-diffusion-aws", "multiUserStNestedStackmultiUserStNestedStackResource15CDE68D",
			"stable-diffusion-aws-multiUserStNestedStackmultiUserStNestedStackResource15CDE68D"},
		{strings.Repeat("a", 128), "Child", strings.Repeat("a", 86)},
	} {
		got := New(c.parent, Options{Seed: 1}).Stack().nestedName(c.logicalID)
		name, suffix, cut := cutLast(got)
		if name != c.want || len(suffix) != 12 || !cut {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// cutLast cuts a text at its last hyphen.
func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '-')
	return s[:max(i, 0)], s[i+1:], i >= 0
}

// CheckInvariants holds what is so of every stack at rest, and of those nested in it.
func CheckInvariants(m *Machine) error {
	s := m.Stack()
	// Nested stacks: what is not deleted is a resource.
	for _, c := range m.nested() {
		if err := CheckInvariants(c); err != nil {
			return fmt.Errorf("%s: %w", c.stack.Path, err)
		}
		of := func(all []*StackResource) bool {
			return slices.ContainsFunc(all, func(r *StackResource) bool { return !r.Gone && r.PhysicalID == c.stack.ID })
		}
		let := slices.ContainsFunc(s.Left, func(l Left) bool { return l.PhysicalID == c.stack.ID })
		if there := c.stack.Status != "DELETE_COMPLETE"; there != (of(s.Resources) || of(s.Leaving)) && !let {
			return fmt.Errorf("%s is in %s, and that it is a resource is %t", c.stack.Path, c.stack.Status, !there)
		}
	}
	// Nothing is under way.
	failed := slices.Contains([]string{"UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED", "DELETE_FAILED"}, m.top.stack.Status)
	if status := lifecycle.StackStatus(s.Status); s.Status != "" && !status.AtRest() && (!s.waitsForRootCleanup() || m.parent == nil || !failed && s.Status != "DELETE_COMPLETE" && !slices.ContainsFunc(m.parent.stack.Left, func(l Left) bool { return l.PhysicalID == s.ID })) {
		return fmt.Errorf("at rest in %s", s.Status)
	}
	if len(m.Pending()) > 0 || len(m.immediate) > 0 {
		return fmt.Errorf("at rest with %d requests under way", len(m.Pending()))
	}
	// Requests have what their type has, and an outcome.
	for _, r := range s.Requests {
		if r.Outcome == Pending {
			return fmt.Errorf("at rest, and %s of %s has no outcome", r.RequestType, r.LogicalID)
		}
		if (r.PhysicalID == "") != (r.RequestType == "Create") {
			return fmt.Errorf("%s of %s with the physical ID %q", r.RequestType, r.LogicalID, r.PhysicalID)
		}
		if (r.OldProperties == "") != (r.RequestType != "Update") {
			return fmt.Errorf("%s of %s with the old properties %q", r.RequestType, r.LogicalID, r.OldProperties)
		}
	}
	for _, r := range s.Resources {
		if !r.Gone && lifecycle.ResourceStatus(r.Status).InMotion() {
			return fmt.Errorf("at rest, and %s is in %s", r.LogicalID, r.Status)
		}
	}
	// The resources are the template's.
	inTemplate := 0 // nothing, if an update of what was never stable was cancelled
	if m.stable != nil {
		inTemplate = len(m.stable.Resources)
	}
	stable := slices.Contains([]string{"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}, s.Status)
	if stable && (s.Stable != s.Target || len(s.Leaving) > 0 || len(s.Resources) != inTemplate) {
		return fmt.Errorf("%s at revision %d of %d with %d resources of %d, %d leaving", s.Status, s.Stable, s.Target, len(s.Resources), inTemplate, len(s.Leaving))
	}
	if s.Status == "DELETE_COMPLETE" && len(s.Resources)+len(s.Leaving) > 0 {
		return fmt.Errorf("deleted, and %d resources are there", len(s.Resources)+len(s.Leaving))
	}
	if m.parent == nil {
		if err := checkCleanupOrder(s); err != nil {
			return err
		}
	}
	// Events have IDs of their own.
	ids := map[string]bool{}
	for _, e := range s.Events {
		if ids[e.EventId] {
			return fmt.Errorf("two events have the ID %s", e.EventId)
		}
		ids[e.EventId] = true
	}
	return nil
}

// checkCleanupOrder holds that no nested stack deletes anything in a cleanup of its
// own before the root stack's has begun.
func checkCleanupOrder(root *Stack) error {
	status := map[string]string{} // by ID
	cleaning := func(id string) bool { return strings.HasSuffix(status[id], "_CLEANUP_IN_PROGRESS") }
	for _, e := range root.Rows(nil) {
		switch {
		case e.OfStack():
			status[e.StackId] = e.ResourceStatus
		case e.ResourceStatus == "DELETE_IN_PROGRESS" && cleaning(e.StackId) && !cleaning(root.ID):
			return fmt.Errorf("%s is deleted in a cleanup while the root stack is in %s", e.Name, status[root.ID])
		}
	}
	return nil
}
