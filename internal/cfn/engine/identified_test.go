package engine

import "testing"

// TestNestedIdentifier: a request has the identifier where the schema has it, also
// within an object: without it, a Delete finds nothing, and the resource is lost.
func TestNestedIdentifier(t *testing.T) {
	typ := &ResourceType{PrimaryIdentifier: []string{"Endpoint/Id"}}
	model := map[string]any{"Endpoint": map[string]any{"Id": "e-1", "Port": "80"}}
	id := typ.id(model)
	if got, want := typ.withIdentifier(`{"Endpoint":{"Port":"80"},"Size":1}`, id, model), Properties(`{"Endpoint":{"Id":"e-1","Port":"80"},"Size":1}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := typ.withIdentifier(`{}`, id, nil), Properties(`{"Endpoint":{"Id":"e-1"}}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStrayIdentifier: a Create that is tried again, and then names another resource
// than the first time, has made both: one is deleted, and the other is told of.
func TestStrayIdentifier(t *testing.T) {
	y := newRegisteredTest(t)
	y.fail["CREATE"] = "Throttling"
	step := y.p.AfterStep
	y.p.AfterStep = func() {
		step()
		if len(y.calls) == 1 {
			y.fail = map[string]string{}
		}
	}
	y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
	y.expect("what there is", y.there, map[string]bool{"c-2": true})
	left := y.p.Machine.Stack().Left
	if len(left) != 1 || left[0].PhysicalID != "c-2" || left[0].LogicalID != "Crate" {
		t.Errorf("left behind is %+v", left)
	}
}
