package local

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// TestShownDifference: a value is hidden at the path of a secret, within it, and
// where it holds it; and wherever it is a known secret.
func TestShownDifference(t *testing.T) {
	paths := []template.SecretPath{{"Labels", "1"}}
	for path, want := range map[string]string{"/Labels/1": mask.Hidden, "/Labels/1/Text": mask.Hidden, "/Labels": mask.Hidden, "/Labels/0": `"box"`, "/Name": `"box"`} {
		if got := shownDifference(schema.Difference{Path: path, Expected: `"box"`, Actual: `"bag"`}, paths, nil); got.ExpectedValue != want {
			t.Errorf("%s is shown as %s, want %s", path, got.ExpectedValue, want)
		}
	}
	if got := shownDifference(schema.Difference{Path: "/Name", Expected: `"let-me-in"`, Actual: `4711`}, nil, []string{"let-me-in", "4711"}); got.ExpectedValue != `"****"` || got.ActualValue != `"****"` {
		t.Errorf("known secrets are shown as %s and %s", got.ExpectedValue, got.ActualValue)
	}
}

// TestShownDifferenceOfEscapedName: the path of a difference is a JSON pointer, that
// of a secret has names as they are.
func TestShownDifferenceOfEscapedName(t *testing.T) {
	got := shownDifference(schema.Difference{Path: "/Doors/a~1b~0c", Expected: `"let-me-in"`, Actual: `"changed"`}, []template.SecretPath{{"Doors", "a/b~c"}}, nil)
	if got.ActualValue != mask.Hidden {
		t.Errorf("it is shown as %s", got.ActualValue)
	}
}

// TestDifferencesOfAListWithoutOrder: where the order of a list does not count, the
// place of a secret in it is that in the template.
func TestDifferencesOfAListWithoutOrder(t *testing.T) {
	s, err := schema.Read([]byte(`{"typeName":"Example::A::B","properties":{"Labels":{"type":"array","insertionOrder":false,"items":{"type":"string"}}},"primaryIdentifier":["/properties/Labels"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"Labels": []any{"zz-secret", "box"}}
	is := map[string]any{"Labels": []any{"zz-changed", "box"}}
	all := shownDifferences(s, want, is, []template.SecretPath{{"Labels", "0"}}, []string{"zz-secret"})
	if len(all) != 1 || all[0].ActualValue != mask.Hidden {
		t.Errorf("they are shown as %v", all)
	}
}
