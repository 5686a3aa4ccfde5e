package properties

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStringify: what a template's values are in an event.
func TestStringify(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, want any
	}{
		{"string", "a", "a"},
		{"bool", true, "true"},
		{"Number keeps its text", json.Number("1.50"), "1.50"},
		{"float64", 14.0, "14"},
		{"big float64, as encoding/json writes it", 1e21, "1e+21"},
		{"list", []any{1.0, "a", []any{true}}, []any{"1", "a", []any{"true"}}},
		{"object", map[string]any{"a": 1.0, "b": map[string]any{"c": false}}, map[string]any{"a": "1", "b": map[string]any{"c": "false"}}},
		{"null", nil, nil},
		{"null in a list", []any{nil, "a", nil}, []any{"a"}},
		{"null in an object", map[string]any{"a": nil, "b": "c"}, map[string]any{"b": "c"}},
		{"empty ones stay", map[string]any{"a": []any{}, "b": map[string]any{}, "c": ""}, map[string]any{"a": []any{}, "b": map[string]any{}, "c": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Stringify(c.in)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
	t.Run("its argument is not changed", func(t *testing.T) {
		in := map[string]any{"a": []any{1.0, nil}, "b": nil}
		Stringify(in)
		if diff := cmp.Diff(map[string]any{"a": []any{1.0, nil}, "b": nil}, in); diff != "" {
			t.Error(diff)
		}
	})
}
