package registry_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/registry"
)

// The schema says what the answers hold: each member of a resource is a property,
// the identifier is the SDK's, and what is write-only is in no answer.
func TestSchemaIsOfWhatIsAnswered(t *testing.T) {
	raw, err := registry.Schema[props, data, struct{}](typeName, registry.Handlers{
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
		if _, err := registry.Schema[props, data, struct{}](typeName, h); err == nil {
			t.Errorf("a timeout of %s is not refused", name)
		}
	}
	if _, err := registry.Schema[props, data, struct{}]("Custom::Thing", registry.Handlers{}); err == nil {
		t.Error("the name of a custom resource is not refused")
	}
}

type settings struct {
	_     struct{} `doc:"Who calls."`
	Key   string   `cfn:"required,secret"`
	Proxy struct{ Host string }
}

// C is the typeConfiguration, whose definitions are the schema's, and ListBy the
// handlerSchema: as AWS's meta-schema has them.
func TestSchemaHasConfigurationAndListBy(t *testing.T) {
	raw, err := registry.Schema[props, data, settings](typeName, registry.Handlers{ListBy: []string{"Name"}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Definitions       map[string]any
		TypeConfiguration any
		Handlers          map[string]any
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		got  any
		want string
	}{
		{got.TypeConfiguration, `{"description":"Who calls.","additionalProperties":false,"required":["Key"],
			"properties":{"Key":{"type":"string"},"Proxy":{"$ref":"#/definitions/Proxy"}}}`},
		{got.Definitions["Proxy"], `{"type":"object","additionalProperties":false,"properties":{"Host":{"type":"string","minLength":1}}}`},
		{got.Handlers["list"], `{"permissions":[],"handlerSchema":{"properties":{"Name":{"$ref":"resource-schema.json#/properties/Name"}},"required":["Name"]}}`},
	} {
		var want any
		if err := json.Unmarshal([]byte(part.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, part.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What cannot be configured, or listed by, is refused.
func TestSchemaRefusesConfigurations(t *testing.T) {
	type reserved struct{ CloudFormationKey string }
	type Door struct{ Width int } // beside another Door
	if _, err := registry.Schema[props, data, reserved](typeName, registry.Handlers{}); err == nil {
		t.Error("a name of CloudFormation's is not refused")
	}
	if _, err := registry.Schema[struct{ Door Door }, data, struct{ Door struct{ Height int } }](typeName, registry.Handlers{}); err == nil {
		t.Error("two definitions with one name are not refused")
	}
	if _, err := registry.Schema[props, data, struct{}](typeName, registry.Handlers{ListBy: []string{"Room"}}); err == nil {
		t.Error("ListBy of no property is not refused")
	}
	if raw, err := registry.Schema[props, data, struct{}](typeName, registry.Handlers{}); err != nil || strings.Contains(string(raw), "typeConfiguration") {
		t.Errorf("without a configuration the schema is %s, %v", raw, err)
	}
}
