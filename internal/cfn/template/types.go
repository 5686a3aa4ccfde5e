package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
	"github.com/cfnresource/sdk-go/internal/cfn/template/sam"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

var (
	typeName   = regexp.MustCompile(`^[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}(?:::MODULE)?$`)
	customName = regexp.MustCompile(`^[A-Za-z0-9_@-]+$`)
)

// isNewer says that a resource says of itself that the table does not know its type as it is by now.
func isNewer(res *resource) bool {
	n := res.at.Get("Metadata").Get("cfnlocal").Get("newer")
	if n == nil {
		return false
	}
	v, _ := source.Text(n.Value)
	return v == "true"
}

// asOf is a clause for the end of a message that was true when the table was made, with what to do if it is no more.
func asOf() string {
	return " (as of " + resourcetype.Date() + "; if AWS has changed: Metadata: {cfnlocal: {newer: true}})"
}

// checkType returns what is known of a resource's type, nil if that is nothing.
func checkType(at *source.Node, res *resource, r *source.Report) *resourcetype.Type {
	t := res.Type
	name, custom := strings.CutPrefix(t, "Custom::")
	switch {
	case custom && (len(name) > 60 || !customName.MatchString(name)):
		r.Errorf(at, "the name behind Custom:: has 1 to 60 letters, digits, and the characters _ @ -, and %q is not such a name", source.Shorten(name))
	case engine.IsCustomResource(t), t == sam.Function: // the latter has been transformed, or reported for want of the transform
	case strings.HasSuffix(t, "::MODULE"):
		r.Errorf(at, "modules are not supported here; write out the resources that the module holds")
	case strings.HasPrefix(t, "AWS::Serverless::"):
		r.Errorf(at, "%s is no type of SAM that is known here%s", source.Shorten(t), source.DidYouMean(t, sam.Types()))
	case strings.HasPrefix(t, "Custom:"):
		r.Errorf(at, "%s is no resource type; write Custom::%s, with two colons", source.Shorten(t), source.Shorten(strings.TrimLeft(t[len("Custom:"):], ":")))
	case !typeName.MatchString(t):
		r.Errorf(at, "%s is no resource type; types are written Custom::Name or AWS::Service::Resource", source.Shorten(t))
	case isNewer(res), !strings.HasPrefix(t, "AWS::"), strings.HasPrefix(t, "AWS::CDK::"):
	default:
		spec := resourcetype.Find(t)
		if spec != nil {
			return spec
		}
		if near := source.Within(2, t, resourcetype.Names()); near != "" {
			r.Errorf(at, "%s is no resource type; did you mean %s?%s", source.Shorten(t), near, asOf())
		} else {
			r.Warnf(at, "%s is no resource type that AWS had on %s; a stand-in takes its place, and nothing of it is checked", source.Shorten(t), resourcetype.Date())
		}
	}
	return nil
}

// checkAttribute reports an attribute that a type does not have. What is below an attribute is not known, and of some types
// AWS gives properties too.
func (c *compiler) checkAttribute(at *source.Node, target *resource, name string) {
	if target.spec == nil {
		return
	}
	var known []string
	for _, a := range target.spec.Attributes {
		known = append(known, a.Name)
	}
	within := func(of string) bool { // an attribute whose parts are not listed
		return strings.HasPrefix(name, of+".") && !slices.ContainsFunc(known, func(a string) bool { return strings.HasPrefix(a, of+".") })
	}
	first, _, _ := strings.Cut(name, ".")
	_, property := target.spec.Property(first)
	switch {
	case slices.Contains(known, name), slices.ContainsFunc(known, within):
		return
	case property:
		c.Warnf(at, "%s is a property of %s, and AWS gives attributes alone of most types", source.Shorten(name), target.Type)
		return
	}
	c.Errorf(at, "%s has no attribute %s%s%s", target.Type, source.Shorten(name), source.DidYouMean(name, slices.Values(known)), asOf())
}

// checkProperties reports properties that the type of a resource does not have, and those that it needs. What SAM makes has
// the properties of its own types, and is made as AWS takes it.
func (p *planner) checkProperties(res *resource) {
	if res.spec == nil || res.transformed {
		return
	}
	var known []string
	for _, property := range res.spec.Properties {
		known = append(known, property.Name)
		if property.Required && p.pick(res.properties.get(property.Name)) == nil {
			p.report.Errorf(res.key, "%s needs the property %s%s", res.Type, property.Name, asOf())
		}
	}
	for i, name := range res.properties.names {
		if !slices.Contains(known, name) && p.pick(res.properties.values[i]) != nil {
			p.report.Errorf(p.place(res, name), "%s has no property %s%s%s", res.Type, source.Shorten(name), source.DidYouMean(name, slices.Values(known)), asOf())
		}
	}
}
