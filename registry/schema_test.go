package registry_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/registry"
)

// The schema says what the answers hold: each member of a resource is a property,
// the identifier is the SDK's, and what is write-only is in no answer.
func TestSchemaIsOfWhatIsAnswered(t *testing.T) {
	raw, err := registry.Schema[props, data](typeName, registry.Handlers{
		Create: registry.Handler{Permissions: []string{"shelf:Put"}, Timeout: 36 * time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}

	// The schema, as the registry reads it.
	type handler struct {
		Permissions      []string
		TimeoutInMinutes int
	}
	var s struct {
		TypeName             string
		Properties           map[string]json.RawMessage
		PrimaryIdentifier    []string
		ReadOnlyProperties   []string
		WriteOnlyProperties  []string
		CreateOnlyProperties []string
		Handlers             map[string]handler
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	none := handler{Permissions: []string{}}
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"typeName", s.TypeName, typeName},
		{"primaryIdentifier", s.PrimaryIdentifier, []string{"/properties/" + registry.Identifier}},
		{"writeOnlyProperties", s.WriteOnlyProperties, []string{"/properties/Password"}},
		{"createOnlyProperties", s.CreateOnlyProperties, []string{"/properties/Name"}},
		{"handlers", s.Handlers, map[string]handler{
			"create": {[]string{"shelf:Put"}, 2160}, "read": none, "update": none, "delete": none, "list": none,
		}},
	} {
		if diff := cmp.Diff(part.want, part.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", part.name, diff)
		}
	}

	// An answer has no member that the schema lacks.
	synctest.Test(t, func(t *testing.T) {
		a := invoke(t, newType(t, newShelf()), event{action: "CREATE", properties: asked}.json())
		var model map[string]any
		if err := json.Unmarshal(a.ResourceModel, &model); err != nil || len(model) == 0 {
			t.Fatalf("the answer is %+v, %v", a, err)
		}
		for name := range model {
			if s.Properties[name] == nil {
				t.Errorf("the answer holds %s, which is no property of the schema", name)
			}
		}
	})
}

// What the registry would refuse is refused here.
func TestSchemaRefuses(t *testing.T) {
	for name, h := range map[string]registry.Handlers{
		"a minute":       {Update: registry.Handler{Timeout: time.Minute}},
		"more than most": {Delete: registry.Handler{Timeout: 37 * time.Hour}},
		"half a minute":  {Create: registry.Handler{Timeout: 150 * time.Second}},
	} {
		if _, err := registry.Schema[props, data](typeName, h); err == nil {
			t.Errorf("a timeout of %s is not refused", name)
		}
	}
	if _, err := registry.Schema[props, data]("Custom::Thing", registry.Handlers{}); err == nil {
		t.Error("the name of a custom resource is not refused")
	}
}
