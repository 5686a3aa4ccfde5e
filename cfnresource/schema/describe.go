package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Describe makes a Dispatcher answer the payload {"cfnresource": "describe"} with
// the schemas of its resource types, as the result of the invocation:
//
//	lambda.Start(cfnresource.New(handler, schema.Describe))
//
// cfnlocal asks functions so, and so can whoever may invoke one:
//
//	aws lambda invoke --function-name NAME --cli-binary-format raw-in-base64-out --payload '{"cfnresource":"describe"}' schemas.json
//
// The result is {"resourceTypes": [{"schema": ..., "attributes": [...]}]}, with a schema as [Of]
// returns it, and the names that Fn::GetAtt may ask for, where a * at the end stands for any. No
// handler is called or opened for it. A handler of every type has the name [CustomResource].
func Describe(o *cfnresource.Options) { o.Describe = describeTypes }

func describeTypes(types []cfnresource.ResourceType) ([]byte, error) {
	type described struct {
		Schema     *document `json:"schema"`
		Attributes []string  `json:"attributes"`
	}
	var all []described
	for _, t := range types {
		d, err := of(cmp.Or(t.Name, CustomResource), t.Properties, t.Data)
		if err != nil {
			return nil, err
		}
		all = append(all, described{d, d.attributes})
	}
	slices.SortFunc(all, func(a, b described) int { return strings.Compare(a.Schema.TypeName, b.Schema.TypeName) })
	return encode(map[string]any{"resourceTypes": all})
}
