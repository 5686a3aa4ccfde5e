package cfntest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Template is what a [Stack] is created from or updated to: resources, by
// their logical IDs.
type Template map[string]Resource

// A Resource is one resource of a [Template]. One of a type that begins with
// Custom::, or of AWS::CloudFormation::CustomResource, is the handler's. Any
// other is a stand-in, which does nothing and succeeds.
type Resource struct {
	Type       string // Custom::Resource if empty
	Properties any    // a struct or a map, sent as by [CreateEvent]; nil is none
	DependsOn  []string

	DeletionPolicy      string // Delete, Retain or RetainExceptOnCreate
	UpdateReplacePolicy string // Delete or Retain

	ServiceTimeout int // seconds; if zero, CloudFormation waits an hour

	// Fails is the reason for which a stand-in fails to be created or updated;
	// if empty, it succeeds. It makes an operation roll back what was done
	// before: have the stand-in depend on it.
	Fails string
}

// handled reports whether a resource is the handler's.
func (r Resource) handled() bool {
	return r.Type == "" || strings.HasPrefix(r.Type, "Custom::") || r.Type == "AWS::CloudFormation::CustomResource"
}

// serviceToken is every resource's ServiceToken: there is one function.
const serviceToken = "arn:aws:lambda:us-west-2:123456789012:function:my-function" //nolint:gosec // an ARN is no credential

// failing is the property of a stand-in that makes it differ from one that
// does not fail, so that it is updated.
const failing = "Fails"

// build returns the template as the engine takes it, its resources in the
// order of their logical IDs. It panics, as CreateEvent does, if properties
// are no JSON object.
func (t Template) build() *engine.Template {
	out := new(engine.Template)
	for _, id := range slices.Sorted(maps.Keys(t)) {
		r := t[id]
		e := Event{ServiceToken: serviceToken, ServiceTimeout: r.ServiceTimeout}
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

// standIn has the stand-ins fail that are to.
func standIn(operation string, r *engine.StackResource) engine.Fate {
	reason, _ := r.Properties.Map()[failing].(string)
	if operation == "Delete" {
		reason = ""
	}
	return engine.Fate{Failure: reason}
}
