package simulate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Template is cfntest's: resources, by their logical IDs.
type Template map[string]Resource

// A Resource is cfntest's.
type Resource struct {
	Type       string
	Properties any
	DependsOn  []string

	DeletionPolicy      string
	UpdateReplacePolicy string

	ServiceTimeout int
	Fails          string
}

// handled reports whether a resource is the handler's.
func (r Resource) handled() bool {
	return r.Type == "" || engine.IsCustomResource(r.Type)
}

// ServiceToken is every resource's ServiceToken: there is one function.
const ServiceToken = "arn:aws:lambda:us-west-2:123456789012:function:my-function" //nolint:gosec // an ARN is no credential

// failing is the property of a stand-in that makes it differ from one that
// does not fail, so that it is updated.
const failing = "Fails"

// build returns the template as the engine takes it, its resources in the order of their logical
// IDs. It panics, as Encode does, if properties are no JSON object.
func (t Template) build() *engine.Template {
	out := new(engine.Template)
	for _, id := range slices.Sorted(maps.Keys(t)) {
		r := t[id]
		e := Event{ServiceToken: ServiceToken, ServiceTimeout: r.ServiceTimeout}
		properties := e.wireProperties(r.Properties)
		if !r.handled() && r.Fails != "" {
			properties[failing] = r.Fails
		}
		out.Resources = append(out.Resources, engine.Resource{
			LogicalID:           id,
			Type:                cmp.Or(r.Type, "Custom::Resource"),
			DependsOn:           slices.Sorted(slices.Values(r.DependsOn)),
			Properties:          func(engine.Refs) (map[string]any, error) { return properties, nil },
			DeletionPolicy:      r.DeletionPolicy,
			UpdateReplacePolicy: r.UpdateReplacePolicy,
		})
	}
	return out
}

// standIn makes the stand-ins fail that have a reason to.
func standIn(operation string, r *engine.StackResource) engine.Fate {
	reason, _ := r.Properties.Map()[failing].(string)
	if operation == "Delete" {
		reason = ""
	}
	return engine.Fate{Failure: reason}
}
