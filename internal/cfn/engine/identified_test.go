package engine

import "testing"

// TestNestedIdentifier: a request has the identifier where the schema has it, also
// within an object: without it, a Delete finds nothing, and the resource is lost.
func TestNestedIdentifier(t *testing.T) {
	typ := &ResourceType{PrimaryIdentifier: []string{"Endpoint/Id"}}
	model := map[string]any{"Endpoint": map[string]any{"Id": "e-1", "Port": "80"}}
	id := typ.id(model)
	if got, want := typ.identified(`{"Endpoint":{"Port":"80"},"Size":1}`, id, model), Properties(`{"Endpoint":{"Id":"e-1","Port":"80"},"Size":1}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := typ.identified(`{}`, id, nil), Properties(`{"Endpoint":{"Id":"e-1"}}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
