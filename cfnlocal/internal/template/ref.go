package template

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// ref compiles Ref: to the value of a parameter, or to the physical ID of a resource.
type ref struct{}

func (ref) compile(c *compiler, f call) expr {
	name, ok := c.static(f.argument, "the name that Ref takes")
	if !ok && c.settled != nil {
		return invalidExpr{}
	}
	if !ok {
		c.Errorf(f.argument, "Ref takes the name of a parameter or a resource, and here is %s; write !Ref Name", f.argument.Describe())
		return invalidExpr{}
	}
	return c.named(f.at, name)
}

// named compiles a reference by name, written as Ref or within Fn::Sub.
func (c *compiler) named(at *source.Node, name string) expr {
	if id := c.references[name]; id != "" {
		name = id
	}
	switch {
	case name == "AWS::NoValue":
		return noValue{}
	case strings.HasPrefix(name, "AWS::"):
		all := Stack{}.pseudo()
		if _, known := all[name]; !known {
			all["AWS::NoValue"] = nil
			c.Errorf(at, "%s is no pseudo parameter%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(all)))
		}
		return pseudoRef{at, name}
	case c.parameters[name] != nil:
		return parameterRef{at, name}
	case c.resources[name] == nil:
		if id, attribute, dotted := strings.Cut(name, "."); dotted && c.resources[id] != nil {
			c.Errorf(at, "Ref takes a name alone; for an attribute write !GetAtt %s.%s", id, source.Shorten(attribute))
			return invalidExpr{}
		}
		c.Errorf(at, "there is no parameter and no resource %s%s", source.Shorten(name), source.DidYouMean(name, c.referable()))
		return invalidExpr{}
	case c.section.early():
		return c.tooEarly(at, name)
	}
	return resourceRef{at, name}
}

// referable are the names that a reference can give at this place.
func (c *compiler) referable() iter.Seq[string] {
	all := slices.Collect(maps.Keys(c.parameters))
	if !c.section.early() {
		all = slices.AppendSeq(all, maps.Keys(c.resources))
	}
	return slices.Values(all)
}

// parameterRef is the value of a parameter: a string, or a list of strings. Rules alone can do with
// one that is not known.
type parameterRef struct {
	at   *source.Node
	name string
}

func (p parameterRef) eval(ev *evaluation) (any, error) {
	v, known := ev.parameters[p.name]
	switch {
	case known:
		return ev.copy(v, p.at)
	case ev.rules:
		return unknown{}, nil
	}
	return nil, ev.fail(p.at, "the parameter %s is read from Parameter Store, which is not here; give the value with --ssm NAME=VALUE", p.name)
}

func (parameterRef) parts(map[string]bool) []expr { return nil }

// requireStored reports the use of a parameter whose value is in Parameter Store and not here.
func (p *planner) requireStored(ref parameterRef) {
	if _, known := p.parameters[ref.name]; known {
		return
	}
	name := "NAME"
	if declared := p.names.parameters[ref.name]; !declared.NoEcho {
		given, ok := p.stack.Parameters[ref.name]
		if !ok {
			given = *declared.Default
		}
		name = source.Shorten(given)
	}
	p.report.Missing(ref.at, []string{source.Flag("--ssm", name, "VALUE")}, "the parameter %s is read from Parameter Store, which is not here; give the value with --ssm %s=VALUE", ref.name, name)
}

type pseudoRef struct {
	at   *source.Node
	name string
}

func (p pseudoRef) eval(ev *evaluation) (any, error) { return ev.copy(ev.pseudo[p.name], p.at) }
func (pseudoRef) parts(map[string]bool) []expr       { return nil }

// resourceRef is the physical ID of a resource, which the engine knows.
type resourceRef struct {
	at *source.Node
	id string
}

func (r resourceRef) eval(ev *evaluation) (any, error) {
	return ev.ask(r.at, r.id, func() (any, error) { return ev.refs.Ref(r.id) })
}

func (resourceRef) parts(map[string]bool) []expr { return nil }

// ask asks the engine for what is of a resource.
func (ev *evaluation) ask(at *source.Node, id string, ask func() (any, error)) (any, error) {
	if ev.refs == nil {
		return nil, ev.fail(at, "this value must be known before the deployment begins, so it cannot refer to the resource %s; write it out, or take it from a parameter", id)
	}
	v, err := ask()
	if err != nil {
		return nil, ev.wrap(at, err)
	}
	return v, nil
}

// wrap gives an error of the engine the place of the reference.
func (ev *evaluation) wrap(at *source.Node, err error) error {
	return &Error{Position: ev.report.Position(at), Path: at.Path(), Text: err.Error(), Err: err}
}
