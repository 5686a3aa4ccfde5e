package skeleton_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/skeleton"
)

// FuzzNew: from whatever schema, either an error comes, or files of Go that can
// be formatted, and a template that can be read.
func FuzzNew(f *testing.F) {
	f.Add(`{"typeName":"Custom::A","properties":{"P":{"type":"string","enum":["a"],"default":"a"}},"required":["P"]}`)
	f.Add(`{"typeName":"Custom::A","properties":{"P":null,"1":{"type":"array","items":{"$ref":"#/definitions/D"}}},"definitions":{"D":{"type":"object","properties":{"E":{"$ref":"#/definitions/D"}}}}}`)
	f.Add(`{"typeName":"Custom::A","properties":{"A b":{"type":"object","patternProperties":{"x":{"type":"integer","minimum":-5,"maximum":-7}}}}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		s, err := schema.Read([]byte(raw))
		if err != nil {
			return
		}
		p, err := skeleton.New(s, skeleton.Options{ServiceIDs: len(raw)%2 == 1})
		switch {
		case err == nil:
			readable(t, p)
		case strings.Contains(err.Error(), ".go: "):
			t.Errorf("what was written is no Go: %v", err)
		}
	})
}
