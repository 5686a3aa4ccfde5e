package secret_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/secret"
)

func TestValues(t *testing.T) {
	properties := map[string]any{
		"Password": "p", "Pin": json.Number("1234"), "On": true,
		"Users": []any{map[string]any{"Name": "ada", "Key": "k0"}, map[string]any{"Name": "bob", "Key": "k1"}},
	}
	for name, tt := range map[string]struct {
		path secret.Path
		want []string
	}{
		"text":                      {secret.Path{"Password"}, []string{"p"}},
		"a number":                  {secret.Path{"Pin"}, []string{"1234"}},
		"a boolean hides nothing":   {secret.Path{"On"}, nil},
		"an item":                   {secret.Path{"Users", "1", "Key"}, []string{"k1"}},
		"all that is below":         {secret.Path{"Users"}, []string{"ada", "bob", "k0", "k1"}},
		"nothing there":             {secret.Path{"Token"}, nil},
		"past the end of a list":    {secret.Path{"Users", "2", "Key"}, nil},
		"before a list":             {secret.Path{"Users", "-1", "Key"}, nil},
		"a name in a list":          {secret.Path{"Users", "Key"}, nil},
		"below a value":             {secret.Path{"Password", "0"}, nil},
		"the properties as a whole": {secret.Path{}, []string{"1234", "ada", "bob", "k0", "k1", "p"}},
	} {
		if diff := cmp.Diff(tt.want, slices.Sorted(slices.Values(secret.Values(properties, []secret.Path{tt.path})))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
