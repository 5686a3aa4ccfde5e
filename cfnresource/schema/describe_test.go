package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/schematest"
)

const question = `{"cfnresource":"describe"}`

func handler[P, D any]() cfnresource.Handler[P, D] {
	return cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[P]) (data D, err error) {
		return data, errors.New("called")
	})
}

// TestDescribe: a function answers with the schemas of all its types, as Of
// returns them, and with the attributes that can be asked for.
func TestDescribe(t *testing.T) {
	type topic struct{ Name string }
	d := cfnresource.NewDispatcher(schema.Describe)
	cfnresource.Handle(d, "Custom::Every", handler[schematest.Every, schematest.Attributes]())
	cfnresource.Handle(d, "Custom::Topic", handler[topic, map[string]any]())
	cfnresource.Handle(d, "", cfnresource.Lazy(func(context.Context) (cfnresource.Handler[struct{}, struct{}], error) {
		t.Error("a handler was opened")
		return nil, errors.New("no")
	}))
	raw, err := d.Invoke(t.Context(), []byte(question))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ResourceTypes []struct {
			Schema     json.RawMessage
			Attributes []string
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name       string
		of         func(string) ([]byte, error)
		attributes []string
	}{
		{schema.CustomResource, schema.Of[struct{}, struct{}], []string{}},
		{"Custom::Every", schema.Of[schematest.Every, schematest.Attributes], []string{
			"Addr2", "Any2", "Any2.*", "Endpoint.Host", "Endpoint.Port", "List", "Loop.Name", "Loop.Next.*", "Rule.Notes", "Rule.Port", "Tags.*", "Text", "Wait", "When",
		}},
		{"Custom::Topic", schema.Of[topic, map[string]any], []string{"*"}},
	}
	if len(got.ResourceTypes) != len(want) {
		t.Fatalf("%s", raw)
	}
	for i, w := range want {
		of, err := w.of(w.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, of), decoded(t, got.ResourceTypes[i].Schema)); diff != "" {
			t.Errorf("%s (-Of +described):\n%s", w.name, diff)
		}
		if diff := cmp.Diff(w.attributes, got.ResourceTypes[i].Attributes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", w.name, diff)
		}
	}
}

func decoded(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDescribeAMap: properties that have no names are told as any.
func TestDescribeAMap(t *testing.T) {
	s := read[map[string]any, struct{}](t, "Custom::Any")
	if s["additionalProperties"] != true || !slices.Contains(s["required"].([]any), any("ServiceToken")) { //nolint:forcetypeassert // a panic fails, too
		t.Errorf("%v", s)
	}
}

// TestDescribeWhatIsWrong: a function that cannot work says so.
func TestDescribeWhatIsWrong(t *testing.T) {
	d := cfnresource.New(handler[struct {
		Name string `cfn:"createonly"`
	}, struct{}](), schema.Describe)
	if raw, err := d.Invoke(t.Context(), []byte(question)); err == nil || !strings.Contains(err.Error(), "createonly") || raw != nil {
		t.Errorf("%s, %v", raw, err)
	}
}
