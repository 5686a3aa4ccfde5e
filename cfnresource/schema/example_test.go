package schema_test

import (
	"context"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

type greeting struct {
	Name   string `cfn:"required" doc:"Who is greeted."`
	Volume volume `cfn:"default=low"`
}

// A volume says which values it has.
type volume string

func (volume) DescribeProperty(p *schema.Property) { p.Enum = []any{"low", "high"} }

type text struct{ Text string }

func ExampleOf() {
	raw, err := schema.Of[greeting, text]("Example::Web::Greeting")
	fmt.Println(string(raw), err)
	// Output:
	// {
	//   "typeName": "Example::Web::Greeting",
	//   "description": "The resource type Example::Web::Greeting.",
	//   "tagging": {
	//     "taggable": false
	//   },
	//   "properties": {
	//     "Name": {
	//       "type": "string",
	//       "description": "Who is greeted.",
	//       "minLength": 1
	//     },
	//     "PhysicalResourceId": {
	//       "type": "string",
	//       "description": "The physical ID, which Ref reads."
	//     },
	//     "Text": {
	//       "type": "string"
	//     },
	//     "Volume": {
	//       "type": "string",
	//       "default": "low",
	//       "enum": [
	//         "low",
	//         "high"
	//       ]
	//     }
	//   },
	//   "required": [
	//     "Name"
	//   ],
	//   "readOnlyProperties": [
	//     "/properties/Text",
	//     "/properties/PhysicalResourceId"
	//   ],
	//   "primaryIdentifier": [
	//     "/properties/PhysicalResourceId"
	//   ],
	//   "additionalProperties": false
	// } <nil>
}

// A type that says which values it has.
func ExampleDescriber() {
	var d schema.Describer = volume("")
	p := &schema.Property{Type: "string"}
	d.DescribeProperty(p)
	fmt.Println(p.Enum)
	// Output: [low high]
}

// A function that can be asked for its types.
func ExampleDescribe() {
	handler := cfnresource.Action(func(_ context.Context, req *cfnresource.UpdateRequest[greeting]) (text, error) {
		return text{"Hello " + req.Properties.Name}, nil
	})
	d := cfnresource.New(handler, schema.Describe) // then lambda.Start
	raw, err := d.Invoke(context.Background(), []byte(`{"cfnresource":"describe"}`))
	fmt.Println(len(raw) > 0, err)
	// Output: true <nil>
}
