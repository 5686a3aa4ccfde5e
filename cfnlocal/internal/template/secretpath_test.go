package template

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
