package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

// TestMarkdown: objects in lists and maps are followed by what is in them, and
// no text leaves its cell.
func TestMarkdown(t *testing.T) {
	p, err := schema.ReadProvider([]byte(`{"resourceTypes":[{"attributes":["Arn","Endpoint.Host","Mode","Tags.*"],"schema":{
		"typeName":"Custom::Monitor","description":"Looks | at\na <script>.","properties":{
			"ServiceToken":{"type":"string"},
			"Url":{"type":"string","description":"a|b"},
			"Mode":{"type":"string","enum":["fast","thorough"],"default":"fast"},
			"Count":{"type":"integer","default":3},
			"Rules":{"type":"array","items":{"$ref":"#/definitions/Rule"}},
			"By":{"type":"object","patternProperties":{"^.*$":{"$ref":"#/definitions/Rule"}}},
			"Any":{},
			"Arn":{"type":"string","description":"Its ARN."},
			"Endpoint":{"$ref":"#/definitions/Endpoint"},
			"Tags":{"type":"object"}},
		"definitions":{"Rule":{"type":"object","properties":{"Port":{"type":"integer"},"Next":{"$ref":"#/definitions/Rule"}},"required":["Port"]},
			"Endpoint":{"type":"object","properties":{"Host":{"type":"string","description":"Where."}}}},
		"required":["Url"],"createOnlyProperties":["/properties/Url","/properties/By"],
		"readOnlyProperties":["/properties/Arn","/properties/Endpoint/Host","/properties/Tags"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "### Custom::Monitor\n\nLooks \\| at a &lt;script>.\n\n" +
		"| Property | Type | On update | |\n|---|---|---|---|\n" +
		"| `Url` | string, required | replacement | a\\|b |\n" +
		"| `Any` | any | in place |  |\n" +
		"| `By` | object | replacement |  |\n" +
		"| `By.*.Port` | integer, required | replacement |  |\n" +
		"| `By.*.Next` | object | replacement |  |\n" +
		"| `Count` | integer, default `3` | in place |  |\n" +
		"| `Mode` | `fast` or `thorough`, default `fast` | in place |  |\n" +
		"| `Rules` | list of object | in place |  |\n" +
		"| `Rules[].Port` | integer, required | in place |  |\n" +
		"| `Rules[].Next` | object | in place |  |\n" +
		"\n| Attribute | Type | |\n|---|---|---|\n" +
		"| `Arn` | string | Its ARN. |\n" +
		"| `Endpoint.Host` | string | Where. |\n" +
		"| `Mode` | any |  |\n" +
		"| `Tags.*` | object |  |\n"
	if diff := cmp.Diff(want, p.Type("Custom::Monitor").Markdown()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
