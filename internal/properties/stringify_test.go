package properties

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStringify: what a template's values are in an event.
func TestStringify(t *testing.T) {
	one := 1
	for _, c := range []struct {
		name     string
		in, want any
	}{
		{"string", "a", "a"},
		{"bool", true, "true"},
		{"Number keeps its text", json.Number("1.50"), "1.50"},
		{"float64", 14.0, "14"},
		{"big float64, as encoding/json writes it", 1e21, "1e+21"},
		{"float32", float32(0.1), "0.1"},
		{"int", -1, "-1"},
		{"uint64", uint64(1<<64 - 1), "18446744073709551615"},
		{"NaN, which no template holds", math.NaN(), "NaN"},
		{"named string", named("a"), "a"},
		{"list", []any{1, "a", []any{true}}, []any{"1", "a", []any{"true"}}},
		{"typed list", []int{1, 2}, []any{"1", "2"}},
		{"object", map[string]any{"a": 1, "b": map[string]any{"c": false}}, map[string]any{"a": "1", "b": map[string]any{"c": "false"}}},
		{"typed map", map[int]bool{1: true}, map[string]any{"1": "true"}},
		{"null", nil, nil},
		{"null in a list", []any{nil, "a", nil}, []any{"a"}},
		{"null in an object", map[string]any{"a": nil, "b": "c"}, map[string]any{"b": "c"}},
		{"nil pointer", (*int)(nil), nil},
		{"nil pointer in a list", []*int{nil}, []any{}},
		{"empty ones stay", map[string]any{"a": []any{}, "b": map[string]any{}, "c": ""}, map[string]any{"a": []any{}, "b": map[string]any{}, "c": ""}},
		{"other types stay", &one, &one},
		{"structs stay", struct{ A int }{1}, struct{ A int }{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Stringify(c.in)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
	t.Run("its argument is not changed", func(t *testing.T) {
		in := map[string]any{"a": []any{1, nil}, "b": nil}
		Stringify(in)
		if diff := cmp.Diff(map[string]any{"a": []any{1, nil}, "b": nil}, in); diff != "" {
			t.Error(diff)
		}
	})
}
