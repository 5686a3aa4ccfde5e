package properties

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStringify: what a template's values are in an event. The values themselves stay.
func TestStringify(t *testing.T) {
	template := func() any {
		return map[string]any{
			"s": "a", "b": true, "n": json.Number("1.50"), "f": 14.0, "big": 1e21, "null": nil, "empty": map[string]any{},
			"l": []any{1.0, nil, []any{true}, map[string]any{"c": false, "d": nil}},
		}
	}
	want := map[string]any{
		"s": "a", "b": "true", "n": "1.50", "f": "14", "big": "1e+21", "empty": map[string]any{},
		"l": []any{"1", []any{"true"}, map[string]any{"c": "false"}},
	}
	in := template()
	if diff := cmp.Diff(want, Stringify(in)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if diff := cmp.Diff(template(), in); diff != "" || Stringify(nil) != nil {
		t.Error("it is changed:\n" + diff)
	}
}
