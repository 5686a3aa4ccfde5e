package template

import (
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// awsType is a type of AWS. Of nil nothing is known, and nothing is checked.
type awsType struct {
	name string
	*resourcetype.Type
}

// typeOf returns what is known of a resource's type, which is written at a node, and reports one that
// AWS does not have.
func typeOf(t string, at, resource *source.Node, r *source.Report) *awsType {
	name, custom := strings.CutPrefix(t, "Custom::")
	switch {
	case custom && !resourcetype.IsCustom(t):
		r.Errorf(at, "the name behind Custom:: has 1 to 60 letters, digits, and the characters _ @ -, and %q is not such a name", source.Shorten(name))
	case custom, t == "AWS::CloudFormation::CustomResource", strings.HasPrefix(t, "AWS::CDK::"):
	case t == sam.Function: // it has been transformed, or reported for want of the transform
	case strings.HasSuffix(t, "::MODULE"):
		r.Errorf(at, "modules are not supported here; write out the resources that the module holds")
	case strings.HasPrefix(t, "AWS::Serverless::"):
		r.Errorf(at, "%s is no type of SAM that is known here%s", source.Shorten(t), source.DidYouMean(t, sam.Types()))
	case strings.HasPrefix(t, "Custom:"):
		r.Errorf(at, "%s is no resource type; write Custom::%s, with two colons", source.Shorten(t), source.Shorten(strings.TrimLeft(t[len("Custom:"):], ":")))
	case !resourcetype.IsName(t):
		r.Errorf(at, "%s is no resource type; types are written Custom::Name or AWS::Service::Resource", source.Shorten(t))
	case strings.HasPrefix(t, "AWS::") && !isNewer(resource):
		return findType(t, at, r)
	}
	return nil
}

// isNewer says that a resource says of itself that AWS knows more of its type than the table.
func isNewer(resource *source.Node) bool {
	n := resource.Get("Metadata").Get("cfnlocal").Get("newer")
	if n == nil {
		return false
	}
	v, _ := source.Text(n.Value)
	return v == "true"
}

func findType(t string, at *source.Node, r *source.Report) *awsType {
	if found := resourcetype.Find(t); found != nil {
		return &awsType{t, found}
	}
	if near := source.Within(2, t, resourcetype.Names()); near != "" {
		r.Checkf(at, "%s is no resource type; did you mean %s?%s", source.Shorten(t), near, asOf())
	} else {
		r.Warnf(at, "%s is no resource type that AWS had on %s; a stand-in takes its place, and nothing of it is checked", source.Shorten(t), resourcetype.Date())
	}
	return nil
}

// asOf is a clause for the end of a message that was true when the table was made, with what to do
// if it is no more.
func asOf() string {
	return " (as of " + resourcetype.Date() + "; if AWS has changed: Metadata: {cfnlocal: {newer: true}})"
}

// checkAttribute reports an attribute that the type does not have. What is below one is not always
// listed, and of some types AWS gives properties too.
func (t *awsType) checkAttribute(name string, at *source.Node, r *source.Report) {
	if t == nil {
		return
	}
	all := slices.Collect(maps.Keys(t.Attributes))
	below := func(of string) bool { // an attribute whose parts are not listed
		return strings.HasPrefix(name, of+".") && !slices.ContainsFunc(all, func(a string) bool { return strings.HasPrefix(a, of+".") })
	}
	first, _, _ := strings.Cut(name, ".")
	_, property := t.Properties[first]
	switch {
	case slices.Contains(all, name), slices.ContainsFunc(all, below):
	case property:
		r.Warnf(at, "%s is a property of %s, and AWS gives attributes alone of most types", source.Shorten(name), t.name)
	default:
		r.Checkf(at, "%s has no attribute %s%s%s", t.name, source.Shorten(name), source.DidYouMean(name, slices.Values(all)), asOf())
	}
}

// checkProperties reports properties that the type does not have, by name with their places, and
// those that it needs at the resource's own.
func (t *awsType) checkProperties(given map[string]*source.Node, at *source.Node, r *source.Report) {
	if t == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(t.Properties)) {
		if t.Properties[name].Required && given[name] == nil {
			r.Checkf(at, "%s needs the property %s%s", t.name, name, asOf())
		}
	}
	for name, place := range given {
		if _, findType := t.Properties[name]; !findType {
			r.Checkf(place, "%s has no property %s%s%s", t.name, source.Shorten(name), source.DidYouMean(name, maps.Keys(t.Properties)), asOf())
		}
	}
}
