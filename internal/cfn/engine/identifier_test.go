package engine

import (
	"encoding/json"
	"strings"
	"testing"
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
