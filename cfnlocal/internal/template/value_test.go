package template

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// What an expression comes to keeps the expression's place, all the way down.
func TestComputedValuesKeepTheirPlace(t *testing.T) {
	at := source.Position{File: "t.yaml", Line: 3, Column: 5}
	place := Value{Position: at, Path: "/P"}
	scalar := func(path, text string) Value {
		return Value{Position: at, Path: path, Form: Scalar, Text: text}
	}
	for name, tt := range map[string]struct {
		computed any
		want     Value
	}{
		"text":                {"a", scalar("/P", "a")},
		"empty text":          {"", scalar("/P", "")},
		"a number":            {json.Number("1.50"), scalar("/P", "1.50")},
		"a boolean":           {true, scalar("/P", "true")},
		"a dynamic reference": {"{{resolve:ssm:/a}}", place},
		"nothing":             {nil, place},
		"a list": {[]any{"a", "x{{resolve:ssm:/a}}"}, Value{
			Position: at, Path: "/P", Form: List, Items: []Value{scalar("/P/0", "a"), {Position: at, Path: "/P/1"}},
		}},
		"an object": {map[string]any{"B": "b", "A": []any{}}, Value{
			Position: at, Path: "/P", Form: Object, Members: []Member{
				{Position: at, Path: "/P/A", Name: "A", Value: Value{Position: at, Path: "/P/A", Form: List}},
				{Position: at, Path: "/P/B", Name: "B", Value: scalar("/P/B", "b")},
			},
		}},
	} {
		if diff := cmp.Diff(tt.want, place.of(tt.computed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSecretValues(t *testing.T) {
	properties := map[string]any{
		"Password": "p", "Pin": json.Number("1234"), "On": true,
		"Users": []any{map[string]any{"Name": "ada", "Key": "k0"}, map[string]any{"Name": "bob", "Key": "k1"}},
	}
	for name, tt := range map[string]struct {
		path SecretPath
		want []string
	}{
		"text":                      {SecretPath{"Password"}, []string{"p"}},
		"a number":                  {SecretPath{"Pin"}, []string{"1234"}},
		"a boolean hides nothing":   {SecretPath{"On"}, nil},
		"an item":                   {SecretPath{"Users", "1", "Key"}, []string{"k1"}},
		"all that is below":         {SecretPath{"Users"}, []string{"ada", "bob", "k0", "k1"}},
		"nothing there":             {SecretPath{"Token"}, nil},
		"past the end of a list":    {SecretPath{"Users", "2", "Key"}, nil},
		"before a list":             {SecretPath{"Users", "-1", "Key"}, nil},
		"a name in a list":          {SecretPath{"Users", "Key"}, nil},
		"below a value":             {SecretPath{"Password", "0"}, nil},
		"the properties as a whole": {SecretPath{}, []string{"1234", "ada", "bob", "k0", "k1", "p"}},
	} {
		if diff := cmp.Diff(tt.want, slices.Sorted(slices.Values(SecretValues(properties, []SecretPath{tt.path})))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
