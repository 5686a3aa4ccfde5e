package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

const fine = `{"typeName":"Example::Web::Monitor","description":"","additionalProperties":false,
	"properties":{"Id":{"type":"string"},"Url":{"type":"string","enum":["a"]},"Rules":{"type":"array","items":{"$ref":"#/definitions/Rule"}}},
	"definitions":{"Rule":{"type":"object","properties":{"Port":{"type":"integer"}},"additionalProperties":false}},
	"required":["Url"],"createOnlyProperties":["/properties/Url"],"readOnlyProperties":["/properties/Id"],"primaryIdentifier":["/properties/Id"]}`

// TestRefusals: each rule of the registry's meta-schema that matters here
// refuses what breaks it, and what breaks none is not refused.
func TestRefusals(t *testing.T) {
	for _, name := range []string{"Example::Web::Monitor", "Custom::Monitor"} {
		if got := schema.Refusals([]byte(strings.Replace(fine, "Example::Web::Monitor", name, 1))); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"description":"",`, ``, "description is missing"},
		{`"description"`, `"nmae":1,"description"`, "nmae is no member"},
		{`Example::Web::Monitor`, `Monitor`, "typeName"},
		{`"additionalProperties":false,`, `"additionalProperties":true,`, "additionalProperties is not false"},
		{`"Url":{`, `"U-rl":{},"Url":{`, "the name U-rl"},
		{`"Rule":{`, `"A_b":{},"Rule":{`, "the name A_b"},
		{`"type":"string","enum"`, `"enum"`, "an enum needs a type"},
		{`"enum":["a"]`, `"readOnly":true`, "readOnly is no keyword"},
		{`{"type":"string","enum":["a"]}`, `{"properties":{"A":{}},"additionalProperties":false}`, "nested objects are definitions"},
		{`"additionalProperties":false}},`, `"additionalProperties":false,"patternProperties":{}}},`, "both properties and patternProperties"},
		{`,"additionalProperties":false}},`, `}},`, "additionalProperties is not said"},
		{`#/definitions/Rule`, `#/definitions/Role`, "refers to nothing"},
		{`["/properties/Id"],"prim`, `[],"prim`, "readOnlyProperties is empty"},
		{`["/properties/Url"]`, `["/properties/Nowhere"]`, "leads to no property"},
		{`["/properties/Url"]`, `["Url"]`, "leads to no property"},
		{`["/properties/Url"]`, `["/properties/Id"]`, "both be set and only be read"},
		{`"primaryIdentifier":["/properties/Id"]`, `"primaryIdentifier":["/properties/Rules"]`, "can change"},
		{`"required":["Url"]`, `"required":["Nope"]`, "there is no property Nope"},
	} {
		text := strings.Replace(fine, tt.old, tt.new, 1)
		if text == fine {
			t.Errorf("%s is not there", tt.old)
		}
		got := schema.Refusals([]byte(text))
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
			t.Errorf("%s: %q; want %q", tt.new, got, tt.want)
		}
	}
}
