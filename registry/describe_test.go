package registry_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/registry"
)

const question = `{"cfnresource":"describe"}`

// TestDescribe: a function that has its schema gives it to who asks, and one that
// has none takes the question for a request that it does not know.
func TestDescribe(t *testing.T) {
	schema := `{"typeName":"Example::Paper::Note"}`
	for _, test := range []struct {
		name string
		opts []func(*registry.Options)
		want string
		err  string
	}{
		{"with a schema", []func(*registry.Options){func(o *registry.Options) { o.Schema = func() ([]byte, error) { return []byte(schema), nil } }}, `"schema":` + schema, ""},
		{"without", nil, `"errorCode":"InvalidRequest"`, ""},
		{"with one that fails", []func(*registry.Options){func(o *registry.Options) {
			o.Schema = func() ([]byte, error) { return nil, errors.New("no luck") }
		}}, "", "the schema: no luck"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := registry.New(typeName, newShelf(), test.opts...)
			got, err := d.Invoke(t.Context(), []byte(question))
			switch {
			case test.err != "" && (err == nil || err.Error() != test.err), test.err == "" && err != nil:
				t.Errorf("the error is %v, want %q", err, test.err)
			case !strings.Contains(string(got), test.want), test.err == "" && !json.Valid(got):
				t.Errorf("the answer is %s, want %s in it", got, test.want)
			}
		})
	}
}
