package template

import (
	"fmt"
	"maps"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// An intrinsic is a function of CloudFormation. A new one is a row here, and a file with the
// expression that it compiles to.
type intrinsic struct {
	example string // how it is written, for messages
	gives   result
	// function compiles a call of it.
	function interface {
		compile(c *compiler, f call) expr
	}
}

// result is what a function gives, as far as that does not depend on its arguments.
type result int

const (
	anything result = iota // a string or a list, as what it refers to
	aString
	aBoolean // a string where one is asked for: true or false
	aList
	anObject // no function gives one
)

// intrinsics are all functions by their names ("Intrinsic function reference", "Rule-specific
// intrinsic functions" in the user guide). Loops are none of them: they give entries, not a value,
// and are written out before anything is compiled.
var intrinsics = map[string]intrinsic{
	"Ref":                  {"!Ref LogicalID", anything, ref{}},
	"Condition":            {"!Condition Name", aBoolean, conditionRef{}},
	"Fn::And":              {"!And [condition, condition]", aBoolean, logic{}},
	"Fn::Base64":           {"!Base64 text", aString, base64Text{}},
	"Fn::Cidr":             {"!Cidr [10.0.0.0/16, 4, 8]", aList, cidr{}},
	"Fn::Contains":         {"!Contains [[value, value], !Ref Parameter]", aBoolean, member{}},
	"Fn::EachMemberEquals": {"!EachMemberEquals [!Ref Parameter, value]", aBoolean, member{}},
	"Fn::EachMemberIn":     {"!EachMemberIn [!Ref Parameter, [value, value]]", aBoolean, member{}},
	"Fn::Equals":           {"!Equals [value, value]", aBoolean, logic{}},
	"Fn::FindInMap":        {"!FindInMap [MapName, TopLevelKey, SecondLevelKey]", anything, findInMap{}},
	"Fn::GetAtt":           {"!GetAtt LogicalID.Attribute", anything, attribute{}},
	"Fn::GetAZs":           {`!GetAZs ""`, aList, zones{}},
	"Fn::GetStackOutput":   {"", anything, elsewhere{}},
	"Fn::If":               {"!If [ConditionName, value if true, value if false]", anything, ifElse{}},
	"Fn::ImportValue":      {"!ImportValue name", aString, imported{}},
	"Fn::Join":             {`!Join [",", [value, value]]`, aString, join{}},
	"Fn::Length":           {"!Length [value, value]", aString, length{}},
	"Fn::Not":              {"!Not [condition]", aBoolean, logic{}},
	"Fn::Or":               {"!Or [condition, condition]", aBoolean, logic{}},
	"Fn::RefAll":           {"!RefAll AWS::EC2::VPC::Id", aList, account{}},
	"Fn::Select":           {"!Select [0, [value, value]]", anything, selectItem{}},
	"Fn::Split":            {`!Split [",", text]`, aList, split{}},
	"Fn::Sub":              {`!Sub "text ${LogicalID.Attribute}" or !Sub [text, {Name: value}]`, aString, sub{}},
	"Fn::ToJsonString":     {"!ToJsonString {Name: value}", aString, jsonString{}},
	"Fn::Transform":        {"", anything, elsewhere{}},
	"Fn::ValueOf":          {"!ValueOf [Parameter, Attribute]", anything, account{}},
	"Fn::ValueOfAll":       {"!ValueOfAll [AWS::EC2::VPC::Id, Attribute]", aList, account{}},
}

// tags are the short tags of YAML and the functions that they stand for: !Join is Fn::Join.
var tags = func() map[string]string {
	all := make(map[string]string, len(intrinsics))
	for name := range intrinsics {
		all["!"+strings.TrimPrefix(name, "Fn::")] = name
	}
	return all
}()

// A call is a function where a template calls it.
type call struct {
	intrinsic
	name         string
	at, argument *source.Node // the whole call, and what follows the name
}

func (c *compiler) call(name string, at, argument *source.Node) expr {
	if len(c.Errors) > maxErrors {
		return invalidExpr{}
	}
	if row, known := intrinsics[name]; known {
		return row.function.compile(c, call{intrinsic: row, name: name, at: at, argument: argument})
	}
	if name == "Fn::ForEach" {
		c.Errorf(at, source.MisplacedLoop)
	} else {
		c.Errorf(at, "%s is no function of CloudFormation%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(intrinsics)))
	}
	return invalidExpr{}
}

// arguments are the items of a call's list, if there are as many as the function takes.
func (c *compiler) arguments(f call, least, most int) []*source.Node {
	argument := f.argument
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
	c.Errorf(argument, "%s takes %s, and here is %s; write %s", f.name, takes, has, f.example)
	return nil
}
