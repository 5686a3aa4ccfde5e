package cfntest

import "github.com/cfnresource/sdk-go/internal/simulate"

// A Template is what a [Stack] is created from or updated to: resources, by their logical IDs.
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

func (t Template) behind() simulate.Template {
	out := make(simulate.Template, len(t))
	for id, r := range t {
		out[id] = simulate.Resource(r)
	}
	return out
}
