package engine

import (
	"encoding/json"
	"testing"
)

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

// TestStrayIdentifiers: a Create that is tried again, and then names another resource
// than the first time, has made both: one is deleted, and the others are told of.
func TestStrayIdentifiers(t *testing.T) {
	for tries, want := range map[int][]string{1: {"c-2"}, 2: {"c-2", "c-3"}, 1 + maxRetries: {"c-2", "c-3", "c-4", "c-5"}} {
		y := newRegisteredTest(t)
		y.fail["CREATE"] = "Throttling"
		step := y.p.AfterStep
		y.p.AfterStep = func() {
			step()
			if len(y.calls) == tries {
				y.fail = map[string]string{}
			}
		}
		y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
		var left []string
		for _, l := range y.p.Machine.Stack().Left {
			left = append(left, l.PhysicalID)
		}
		y.expect("what is left behind", left, want)
		y.expect("what there is", len(y.there), len(want))
	}
}

// TestLateIdentifier: what a Create names when nobody waits for it any more is told of.
func TestLateIdentifier(t *testing.T) {
	y := newRegisteredTest(t)
	y.silent = true
	y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
	m := y.p.Machine
	m.Answer(y.p.Now, m.Stack().Requests[0].RequestID, []byte(`{"status":"SUCCESS","resourceModel":{"Id":"c-1"}}`))
	if left := m.Stack().Left; len(left) != 1 || left[0].PhysicalID != "c-1" {
		t.Errorf("left behind is %+v", left)
	}
}
