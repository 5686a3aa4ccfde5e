package known_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/known"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// What an expression comes to keeps the expression's place, all the way down.
func TestOf(t *testing.T) {
	at := source.Position{File: "t.yaml", Line: 3, Column: 5}
	place := known.Value{Position: at, Path: "/P"}
	scalar := func(path, text string) known.Value {
		return known.Value{Position: at, Path: path, Form: known.Scalar, Text: text}
	}
	for name, tt := range map[string]struct {
		computed any
		want     known.Value
	}{
		"text":                {"a", scalar("/P", "a")},
		"empty text":          {"", scalar("/P", "")},
		"a number":            {json.Number("1.50"), scalar("/P", "1.50")},
		"a boolean":           {true, scalar("/P", "true")},
		"a dynamic reference": {"{{resolve:ssm:/a}}", place},
		"nothing":             {nil, place},
		"a list": {[]any{"a", "x{{resolve:ssm:/a}}"}, known.Value{
			Position: at, Path: "/P", Form: known.List, Items: []known.Value{scalar("/P/0", "a"), {Position: at, Path: "/P/1"}},
		}},
		"an object": {map[string]any{"B": "b", "A": []any{}}, known.Value{
			Position: at, Path: "/P", Form: known.Object, Members: []known.Member{
				{Position: at, Path: "/P/A", Name: "A", Value: known.Value{Position: at, Path: "/P/A", Form: known.List}},
				{Position: at, Path: "/P/B", Name: "B", Value: scalar("/P/B", "b")},
			},
		}},
	} {
		if diff := cmp.Diff(tt.want, place.Of(tt.computed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
