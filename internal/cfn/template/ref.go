package template

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// pseudoParameters are the names that every template can refer to without declaring them.
var pseudoParameters = []string{
	"AWS::AccountId", "AWS::NoValue", "AWS::NotificationARNs", "AWS::Partition", "AWS::Region", "AWS::StackId", "AWS::StackName", "AWS::URLSuffix",
}

func (c *compiler) ref(at, argument *node) expr {
	name, ok := c.static(argument, "the name that Ref takes")
	if !ok && c.settled != nil {
		return invalidExpr{}
	}
	if !ok {
		c.errorf(argument, "Ref takes the name of a parameter or a resource, and here is %s; write !Ref Name", kindOf(argument))
		return invalidExpr{}
	}
	return c.named(at, name)
}

// named compiles a reference by name, written as Ref or within Fn::Sub.
func (c *compiler) named(at *node, name string) expr {
	if id := c.references[name]; id != "" {
		name = id
	}
	switch {
	case name == "AWS::NoValue":
		return noValue{}
	case strings.HasPrefix(name, "AWS::"):
		if !slices.Contains(pseudoParameters, name) {
			c.errorf(at, "%s is no pseudo parameter%s", shorten(name), didYouMean(name, slices.Values(pseudoParameters)))
		}
		return pseudoRef{at, name}
	case c.parameters[name] != nil:
		return parameterRef{at, name}
	case c.resources[name] == nil:
		if id, attribute, dotted := strings.Cut(name, "."); dotted && c.resources[id] != nil {
			c.errorf(at, "Ref takes a name alone; for an attribute write !GetAtt %s.%s", id, shorten(attribute))
			return invalidExpr{}
		}
		c.errorf(at, "there is no parameter and no resource %s%s", shorten(name), didYouMean(name, c.referable()))
		return invalidExpr{}
	case c.section == inConditions || c.section == inRules:
		c.errorf(at, "%s is a resource, and %s are decided before any resource exists; refer to parameters, mappings and other conditions only", name, strings.ToLower(c.section.String()))
		return invalidExpr{}
	}
	return resourceRef{at, name}
}

// referable are the names that a reference can give at this place.
func (c *compiler) referable() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range c.parameters {
			if !yield(name) {
				return
			}
		}
		if c.section == inConditions || c.section == inRules {
			return
		}
		for name := range c.resources {
			if !yield(name) {
				return
			}
		}
	}
}

// parameterRef is the value of a parameter: a string, or a list of strings. Rules alone can do with one that is not known.
type parameterRef struct {
	at   *node
	name string
}

func (p parameterRef) eval(ev *evaluation) (any, error) {
	v := ev.parameters[p.name]
	if v == any(unknown{}) && !ev.rules {
		return nil, ev.fail(p.at, "the parameter %s is read from Parameter Store, which is not here; give the value with --ssm NAME=VALUE", p.name)
	}
	return ev.copy(v, p.at)
}

func (parameterRef) parts(map[string]bool) iter.Seq[expr] { return none }

// pseudoRef is the value of a pseudo parameter.
type pseudoRef struct {
	at   *node
	name string
}

func (p pseudoRef) eval(ev *evaluation) (any, error)   { return ev.copy(ev.pseudo[p.name], p.at) }
func (pseudoRef) parts(map[string]bool) iter.Seq[expr] { return none }

// copied keeps a list that the engine is given apart from ours.
func copied(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copied(v[i])
		}
		return out
	case map[string]any:
		out := maps.Clone(v)
		for k := range out {
			out[k] = copied(out[k])
		}
		return out
	}
	return v
}

// resourceRef is the physical ID of a resource, which the engine knows.
type resourceRef struct {
	at *node
	id string
}

func (r resourceRef) eval(ev *evaluation) (any, error) {
	if ev.refs == nil {
		return nil, ev.fail(r.at, "this value must be known before the deployment begins, so it cannot refer to the resource %s; write it out, or take it from a parameter", r.id)
	}
	v, err := ev.refs.Ref(r.id)
	if err != nil {
		return nil, ev.wrap(r.at, err)
	}
	return v, nil
}

func (resourceRef) parts(map[string]bool) iter.Seq[expr] { return none }

// wrap gives an error of the engine the place of the reference.
func (ev *evaluation) wrap(at *node, err error) error {
	return &Error{Position: ev.report.position(at), Path: at.path(), Text: err.Error(), Err: err}
}
