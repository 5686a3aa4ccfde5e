package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// compiler turns nodes into expressions and checks them on the way. It knows the names of the whole template.
type compiler struct {
	*source.Report
	names
	section section
	settled *decisions // parameters, for templates with AWS::LanguageExtensions; else nil
}

// names are what expressions can refer to.
type names struct {
	parameters map[string]*Parameter
	mappings   map[string]*mapping
	conditions map[string]*condition
	resources  map[string]*resource
	references map[string]string // SAM's own, such as Function.Alias, and the resources that they stand for
}

// section decides which functions and references are allowed.
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

// function is the function that an object stands for: the one whose only key is a function's name. Condition is a function
// only among conditions; elsewhere it is an ordinary key, as in policies.
func (c *compiler) function(n *source.Node) (name string, argument *source.Node, ok bool) {
	for _, f := range n.Fields {
		name := f.Name()
		switch {
		case strings.HasPrefix(name, "Fn::ForEach::"):
			return "Fn::ForEach", f.Value, true
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

// shortTags are the tags of YAML templates and the functions that they stand for.
var shortTags = map[string]string{
	"!Ref": "Ref", "!Condition": "Condition",
	"!Contains": "Fn::Contains", "!EachMemberEquals": "Fn::EachMemberEquals", "!EachMemberIn": "Fn::EachMemberIn",
	"!RefAll": "Fn::RefAll", "!ValueOf": "Fn::ValueOf", "!ValueOfAll": "Fn::ValueOfAll",
	"!And": "Fn::And", "!Base64": "Fn::Base64", "!Cidr": "Fn::Cidr", "!Equals": "Fn::Equals", "!FindInMap": "Fn::FindInMap",
	"!GetAZs": "Fn::GetAZs", "!GetAtt": "Fn::GetAtt", "!If": "Fn::If", "!ImportValue": "Fn::ImportValue", "!Join": "Fn::Join",
	"!Length": "Fn::Length", "!Not": "Fn::Not", "!Or": "Fn::Or", "!Select": "Fn::Select", "!Split": "Fn::Split", "!Sub": "Fn::Sub",
	"!ToJsonString": "Fn::ToJsonString", "!Transform": "Fn::Transform",
}

// functions are the functions that are played, with how they are written.
var functions = map[string]string{
	"Ref":                  "!Ref LogicalID",
	"Condition":            "!Condition Name",
	"Fn::And":              "!And [condition, condition]",
	"Fn::Base64":           "!Base64 text",
	"Fn::Cidr":             "!Cidr [10.0.0.0/16, 4, 8]",
	"Fn::Contains":         "!Contains [[value, value], !Ref Parameter]",
	"Fn::EachMemberEquals": "!EachMemberEquals [!Ref Parameter, value]",
	"Fn::EachMemberIn":     "!EachMemberIn [!Ref Parameter, [value, value]]",
	"Fn::RefAll":           "!RefAll AWS::EC2::VPC::Id",
	"Fn::ValueOf":          "!ValueOf [Parameter, Attribute]",
	"Fn::ValueOfAll":       "!ValueOfAll [AWS::EC2::VPC::Id, Attribute]",
	"Fn::Equals":           "!Equals [value, value]",
	"Fn::FindInMap":        "!FindInMap [MapName, TopLevelKey, SecondLevelKey]",
	"Fn::GetAtt":           "!GetAtt LogicalID.Attribute",
	"Fn::GetAZs":           `!GetAZs ""`,
	"Fn::If":               "!If [ConditionName, value if true, value if false]",
	"Fn::ImportValue":      "!ImportValue name",
	"Fn::Length":           "!Length [value, value]",
	"Fn::ToJsonString":     "!ToJsonString {Name: value}",
	"Fn::Join":             `!Join [",", [value, value]]`,
	"Fn::Not":              "!Not [condition]",
	"Fn::Or":               "!Or [condition, condition]",
	"Fn::Select":           "!Select [0, [value, value]]",
	"Fn::Split":            `!Split [",", text]`,
	"Fn::Sub":              `!Sub "text ${LogicalID.Attribute}" or !Sub [text, {Name: value}]`,
}

// unsupported are the functions of CloudFormation that are not played, with what to write instead.
var unsupported = map[string]string{
	"Fn::Transform": "macros run in AWS only: write what the macro makes of it",
	"Fn::ForEach":   "it belongs to AWS::LanguageExtensions, and into Resources, their properties, Conditions and Outputs: add that transform, or write the loop out",
}

// ruleFunctions are the functions that Rules alone have.
var ruleFunctions = []string{"Fn::Contains", "Fn::EachMemberEquals", "Fn::EachMemberIn", "Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll"}

// call compiles a function. at is the whole call, argument what follows its name.
func (c *compiler) call(name string, at, argument *source.Node) expr {
	if len(c.Errors) > maxErrors {
		return invalidExpr{}
	}
	switch name {
	case "Ref":
		return c.ref(at, argument)
	case "Condition":
		return c.conditionRef(at, argument)
	case "Fn::GetAtt":
		return c.getAtt(at, argument)
	case "Fn::Sub":
		return c.sub(at, argument)
	case "Fn::Join":
		return c.join(at, argument)
	case "Fn::Select":
		return c.selectItem(at, argument)
	case "Fn::Split":
		return c.split(at, argument)
	case "Fn::FindInMap":
		return c.findInMap(at, argument)
	case "Fn::Base64":
		return c.base64(at, argument)
	case "Fn::GetAZs":
		return c.zones(at, argument)
	case "Fn::Length", "Fn::ToJsonString":
		return c.extension(name, at, argument)
	case "Fn::ImportValue":
		return c.imported(at, argument)
	case "Fn::Cidr":
		return c.cidr(at, argument)
	case "Fn::If":
		return c.ifElse(at, argument)
	case "Fn::And", "Fn::Or", "Fn::Not", "Fn::Equals":
		return c.logic(name, at, argument)
	}
	if slices.Contains(ruleFunctions, name) {
		return c.ruleFunction(name, at, argument)
	}
	if instead, known := unsupported[name]; known {
		c.Errorf(at, "%s is not supported here; %s", name, instead)
	} else {
		c.Errorf(at, "%s is no function of CloudFormation%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(functions)))
	}
	return invalidExpr{}
}

// invalidExpr stands where an error has been reported; it is never evaluated, since Parse fails.
type invalidExpr struct{ noValue }

// arguments are the items of a function's list, if there are as many as it takes.
func (c *compiler) arguments(name string, argument *source.Node, least, most int) []*source.Node {
	if argument.Kind == source.List && len(argument.Items) >= least && len(argument.Items) <= most {
		return argument.Items
	}
	takes := fmt.Sprintf("a list of %d", least)
	if most > least {
		takes = fmt.Sprintf("a list of %d to %d", least, most)
	}
	has := argument.Kind.String()
	if argument.Kind == source.List {
		has = fmt.Sprintf("a list of %d", len(argument.Items))
	}
	c.Errorf(argument, "%s takes %s, and here is %s; write %s", name, takes, has, functions[name])
	return nil
}

// word is a literal string, for the places where CloudFormation allows no function.
func (c *compiler) word(n *source.Node, what, example string) (string, bool) {
	if n.Kind == source.Scalar {
		if s, ok := source.Text(n.Value); ok {
			return s, true
		}
	}
	c.Errorf(n, "%s must be a literal string, and here is %s; write %s", what, n.Describe(), example)
	return "", false
}

// textual compiles an argument that gives a string, and reports what can never give one.
func (c *compiler) textual(n *source.Node, what string) expr {
	e := c.expr(n)
	switch e.(type) {
	case listExpr, objectExpr, split, zones, cidr:
		c.Errorf(n, "%s must be a string, and here is %s; write text, or a function that gives a string, such as Fn::Sub", what, n.Describe())
	}
	return e
}

// listed compiles an argument that gives a list, and reports what can never give one.
func (c *compiler) listed(n *source.Node, what, example string) expr {
	e := c.expr(n)
	switch e.(type) {
	case literal, objectExpr, sub, join, base64Text, logic:
		c.Errorf(n, "%s must be a list, and here is %s; write %s", what, n.Describe(), example)
	}
	return e
}
