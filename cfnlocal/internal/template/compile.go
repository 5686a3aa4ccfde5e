package template

import (
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// maxErrors is where compiling stops: every further misspelled name would be compared with all
// known ones.
const maxErrors = 100

// compiler turns nodes into expressions and checks them on the way. It knows the names of the whole
// template.
type compiler struct {
	*source.Report
	names
	section section
	standIn bool // the properties of a resource that nothing reads are compiled
	budget  *budget
	settled *decisions // parameters, for templates with AWS::LanguageExtensions; else nil
}

// names are the names that expressions can refer to.
type names struct {
	parameters map[string]*Parameter
	mappings   mappings
	conditions map[string]expr
	resources  map[string]*resource
	references map[string]string // SAM's own, such as Function.Alias, and the resources that they stand for
}

// section is the part of the template that an expression stands in. It decides which functions and
// references are allowed.
type section int

const (
	inResources section = iota
	inConditions
	inOutputs
	inRules
)

func (s section) String() string {
	return [...]string{"Resources", "Conditions", "Outputs", "Rules"}[s]
}

// early reports whether a section is decided before any resource exists.
func (s section) early() bool { return s == inConditions || s == inRules }

// tooEarly reports a reference to a resource in such a section.
func (c *compiler) tooEarly(at *source.Node, id string) expr {
	return c.invalid(at, "%s is a resource, and %s are decided before any resource exists; refer to parameters, mappings and other conditions only", id, strings.ToLower(c.section.String()))
}

// expr compiles any value.
func (c *compiler) expr(n *source.Node) expr {
	switch n.Kind {
	case source.List:
		items := make([]expr, len(n.Items))
		for i, item := range n.Items {
			items[i] = c.expr(item)
		}
		return listExpr{items}
	case source.Object:
		if name, argument, ok := c.function(n); ok {
			return c.call(name, n, argument)
		}
		return c.object(n)
	}
	return literal{n.Value}
}

// object compiles an object that is no function, such as the Properties themselves.
func (c *compiler) object(n *source.Node) objectExpr {
	var o objectExpr
	for _, f := range n.Fields {
		o.names = append(o.names, f.Name())
		o.values = append(o.values, c.expr(f.Value))
	}
	return o
}

// function is the function that an object stands for: the one whose only key is a function's name.
// Condition is a function only among conditions; elsewhere it is an ordinary key, as in policies.
func (c *compiler) function(n *source.Node) (name string, argument *source.Node, ok bool) {
	for _, f := range n.Fields {
		name := f.Name()
		switch {
		case strings.HasPrefix(name, "Fn::ForEach::"):
			return "Fn::ForEach", f.Value, true
		case name == "Fn::If" && len(n.Fields) > 1:
			c.Errorf(f.Key, "Fn::If stands beside other names, and gives a whole value: it cannot add names to an object; write an Fn::If under each name, with !Ref AWS::NoValue to leave it out")
			return name, f.Value, true
		case strings.HasPrefix(name, "Fn::") && len(n.Fields) > 1:
			c.Errorf(f.Key, "%s must be the only key of its object; move the other keys out", source.Shorten(name))
			return name, f.Value, true
		case strings.HasPrefix(name, "Fn::"),
			name == "Ref" && len(n.Fields) == 1,
			name == "Condition" && len(n.Fields) == 1 && c.section == inConditions:
			return name, f.Value, true
		}
	}
	return "", nil, false
}

// invalidExpr stands where an error has been reported; it is never evaluated, since Parse fails.
type invalidExpr struct{ noValue }

// invalid reports an error at a node, and returns an invalidExpr.
func (c *compiler) invalid(at *source.Node, format string, args ...any) expr {
	c.Errorf(at, format, args...)
	return invalidExpr{}
}

// word is a literal string, for the places where CloudFormation allows no function.
func (c *compiler) word(n *source.Node, what, example string) (string, bool) {
	if n.Kind == source.Scalar {
		if s, ok := source.Text(n.Value); ok {
			return s, true
		}
	}
	c.Errorf(n, "%s must be a literal string, not %s; write %s", what, n.Describe(), example)
	return "", false
}

// textual compiles an argument that must be a string, and reports one that can never be.
func (c *compiler) textual(n *source.Node, what string) expr {
	e := c.expr(n)
	if gives := c.gives(n, e); gives == aList || gives == anObject {
		c.Errorf(n, "%s must be a string, not %s; write text, or a function that gives a string, such as Fn::Sub", what, n.Describe())
	}
	return e
}

// listed compiles an argument that must be a list, and reports one that can never be.
func (c *compiler) listed(n *source.Node, what, example string) expr {
	e := c.expr(n)
	if gives := c.gives(n, e); gives != aList && gives != anything {
		c.Errorf(n, "%s must be a list, not %s; write %s", what, n.Describe(), example)
	}
	return e
}

// gives returns the kind of a value, as far as it is known before the evaluation; e is the compiled
// value.
func (c *compiler) gives(n *source.Node, e expr) result {
	if _, reported := e.(invalidExpr); reported {
		return anything
	}
	switch n.Kind {
	case source.Scalar:
		return aString
	case source.List:
		return aList
	}
	if name, _, isCall := c.function(n); isCall {
		return intrinsics[name].gives
	}
	return anObject
}
