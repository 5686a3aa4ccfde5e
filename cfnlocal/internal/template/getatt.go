package template

import (
	"maps"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// attribute is an attribute of a resource, which the engine knows.
type attribute struct {
	at     *source.Node
	id     string
	name   expr
	madeUp bool // of a stand-in
}

func (attribute) compile(c *compiler, f call) expr {
	const write = "; write !GetAtt LogicalID.Attribute"
	switch f.argument.Kind {
	case source.Scalar:
		name, _ := f.argument.Text()
		id, attr, dotted := strings.Cut(name, ".")
		if !dotted || attr == "" || id == "" {
			c.Errorf(f.argument, "Fn::GetAtt takes a resource and an attribute with a dot between them%s", write)
			return invalidExpr{}
		}
		return c.attributeOf(f.at, id, literal{attr})
	case source.List:
		items := c.arguments(f, 2, 2)
		if items == nil {
			return invalidExpr{}
		}
		id, ok := c.static(items[0], "the logical ID that Fn::GetAtt takes")
		if !ok && c.settled != nil {
			return invalidExpr{}
		}
		if !ok {
			c.Errorf(items[0], "Fn::GetAtt takes the logical ID as a literal string, and here is %s%s", items[0].Describe(), write)
			return invalidExpr{}
		}
		return c.attributeOf(f.at, id, c.textual(items[1], "the attribute's name"))
	}
	c.Errorf(f.argument, "Fn::GetAtt takes a resource and an attribute, and here is %s%s", f.argument.Describe(), write)
	return invalidExpr{}
}

func (c *compiler) attributeOf(at *source.Node, id string, name expr) expr {
	// SAM's own references: Function.Alias, and an attribute of what that stands for.
	l, written := name.(literal)
	attr, _ := source.Text(l.value)
	if of, rest, ok := strings.Cut(attr, "."); ok && c.references[id+"."+of] != "" {
		id, attr, name = id+"."+of, rest, literal{rest}
	}
	if of := c.references[id]; of != "" {
		id = of
	}
	target := c.resources[id]
	switch {
	case target == nil && c.parameters[id] != nil:
		c.Errorf(at, "%s is a parameter and has no attributes; write !Ref %s", id, id)
		return invalidExpr{}
	case target == nil:
		c.Errorf(at, "there is no resource %s%s", source.Shorten(id), source.DidYouMean(id, maps.Keys(c.resources)))
		return invalidExpr{}
	case c.section.early():
		return c.tooEarly(at, id)
	}
	if written {
		target.spec.checkAttribute(attr, at, c.Report)
	}
	return attribute{at, id, name, !engine.IsCustomResource(target.Type)}
}

func (a attribute) eval(ev *evaluation) (any, error) {
	name, err := ev.text(a.name, a.at, "the attribute's name")
	if err != nil {
		return nil, err
	}
	if v, given := ev.attributes[a.id+"."+name]; given && ev.refs != nil {
		return ev.copy(v, a.at)
	}
	return ev.ask(a.at, a.id, func() (any, error) { return ev.refs.GetAtt(a.id, name) })
}

// madeUp is a clause for messages about a value that comes of a stand-in's attribute: which one,
// and how to give it.
func (ev *evaluation) madeUp(e expr) (clause string) {
	walk(e, ev.conditions, func(e expr) {
		if a, ok := e.(attribute); ok && a.madeUp && clause == "" {
			if name, err := ev.text(a.name, a.at, "the attribute's name"); err == nil {
				clause = "; the attribute " + source.Shorten(name) + " of " + a.id + " is made up here: give it with --attribute " + a.id + "." + source.Shorten(name) + "=VALUE"
			}
		}
	})
	return clause
}

func (a attribute) parts(map[string]bool) []expr { return []expr{a.name} }
