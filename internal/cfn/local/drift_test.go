package local

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// TestShownDifference: a value is hidden at the path of a secret, within it, and
// where it holds it; and wherever it is a known secret.
func TestShownDifference(t *testing.T) {
	paths := []template.Path{{"Labels", "1"}}
	for path, want := range map[string]string{"/Labels/1": hidden, "/Labels/1/Text": hidden, "/Labels": hidden, "/Labels/0": `"box"`, "/Name": `"box"`} {
		if got := shownDifference(schema.Difference{Path: path, Expected: `"box"`, Actual: `"bag"`}, paths, nil); got.ExpectedValue != want {
			t.Errorf("%s is shown as %s, want %s", path, got.ExpectedValue, want)
		}
	}
	if got := shownDifference(schema.Difference{Path: "/Name", Expected: `"let-me-in"`, Actual: `4711`}, nil, []string{"let-me-in", "4711"}); got.ExpectedValue != `"****"` || got.ActualValue != `"****"` {
		t.Errorf("known secrets are shown as %s and %s", got.ExpectedValue, got.ActualValue)
	}
}
