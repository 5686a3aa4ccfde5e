package template

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// resource is one entry of Resources, after the SAM transform.
type resource struct {
	LogicalID, Type     string
	key, at             *node // the logical ID, and the resource itself
	properties          objectExpr
	metadata            expr
	condition           string // "" if there is none
	dependsOn           []need
	deletionPolicy      string
	updateReplacePolicy string
	policies            [2]expr // the two, where AWS::LanguageExtensions makes functions of them; else nil
}

const (
	typeFunction    = "AWS::Lambda::Function"
	typeEventInvoke = "AWS::Lambda::EventInvokeConfig"
	typeLogGroup    = "AWS::Logs::LogGroup"
	typeServerless  = "AWS::Serverless::Function"
)

var resourceKeys = []string{
	"Type", "Properties", "DependsOn", "Condition", "DeletionPolicy", "UpdateReplacePolicy", "Metadata", "CreationPolicy", "UpdatePolicy",
	"Description", "Version",
}

// declareResources takes logical IDs and types, so that references can be checked in any order.
func declareResources(section *node, r *report) (map[string]*resource, []*resource) {
	all := map[string]*resource{}
	var order []*resource
	fields := fieldsOf(section, r)
	if len(fields) > maxResources {
		r.errorf(section, "a template has at most %d resources, and this one has %d (those that SAM adds included)", maxResources, len(fields))
	}
	for _, f := range fields {
		checkName(f.key, "a resource", r)
		res := &resource{LogicalID: f.name(), key: f.key, at: f.value}
		all[res.LogicalID] = res
		order = append(order, res)
		if strings.HasPrefix(f.name(), "Fn::") {
			continue
		}
		if f.value.kind != object {
			r.errorf(f.value, "a resource is an object, and here is %s; write %s: {Type: ..., Properties: {...}}", kindOf(f.value), shorten(f.name()))
			continue
		}
		checkKeys(f.value, "a resource", resourceKeys, r)
		t := f.value.get("Type")
		if t == nil {
			r.errorf(f.key, "the resource %s has no Type; write Type: Custom::Name for a custom resource, or a type of AWS", shorten(f.name()))
			continue
		}
		var ok bool
		if res.Type, ok = t.text(); !ok || res.Type == "" {
			r.errorf(t, "Type must be a literal string, and here is %s; write Type: AWS::Service::Resource or Type: Custom::Name", kindOf(t))
			continue
		}
		checkType(t, res.Type, r)
	}
	return all, order
}

var (
	typeName   = regexp.MustCompile(`^[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}(?:::MODULE)?$`)
	customName = regexp.MustCompile(`^[A-Za-z0-9_@-]+$`)
)

// ownTypes are the types of CloudFormation itself, to catch a misspelled custom resource.
var ownTypes = []string{
	"AWS::CloudFormation::CustomResource", "AWS::CloudFormation::GuardHook", "AWS::CloudFormation::HookDefaultVersion", "AWS::CloudFormation::HookTypeConfig",
	"AWS::CloudFormation::HookVersion", "AWS::CloudFormation::LambdaHook", "AWS::CloudFormation::Macro",
	"AWS::CloudFormation::ModuleDefaultVersion", "AWS::CloudFormation::ModuleVersion", "AWS::CloudFormation::PublicTypeVersion",
	"AWS::CloudFormation::Publisher", "AWS::CloudFormation::ResourceDefaultVersion", "AWS::CloudFormation::ResourceVersion",
	"AWS::CloudFormation::Stack", "AWS::CloudFormation::StackSet", "AWS::CloudFormation::TypeActivation",
	"AWS::CloudFormation::WaitCondition", "AWS::CloudFormation::WaitConditionHandle",
}

func checkType(at *node, t string, r *report) {
	name, custom := strings.CutPrefix(t, "Custom::")
	switch {
	case custom && (len(name) > 60 || !customName.MatchString(name)):
		r.errorf(at, "the name behind Custom:: has 1 to 60 letters, digits, and the characters _ @ -, and %q is not such a name", shorten(name))
	case custom, t == typeServerless: // the latter has been transformed, or reported for want of the transform
	case strings.HasSuffix(t, "::MODULE"):
		r.errorf(at, "modules are not supported here; write out the resources that the module holds")
	case strings.HasPrefix(t, "AWS::Serverless::"):
		r.errorf(at, "%s is no type of SAM that is known here%s", shorten(t), didYouMean(t, maps.Keys(serverlessTypes)))
	case strings.HasPrefix(t, "Custom:"):
		r.errorf(at, "%s is no resource type; write Custom::%s, with two colons", shorten(t), shorten(strings.TrimLeft(t[len("Custom:"):], ":")))
	case !typeName.MatchString(t):
		r.errorf(at, "%s is no resource type; types are written Custom::Name or AWS::Service::Resource", shorten(t))
	case strings.HasPrefix(t, "AWS::CloudFormation::") && !slices.Contains(ownTypes, t):
		r.errorf(at, "%s is no resource type of CloudFormation%s", shorten(t), didYouMean(t, slices.Values(ownTypes)))
	}
}

// compileResource reads everything but the Type.
func (c *compiler) compileResource(res *resource) {
	n := res.at
	if n.kind != object {
		return
	}
	if properties := n.get("Properties"); properties != nil {
		if _, _, isFunction := c.function(properties); properties.kind != object || isFunction && properties.fields[0].name() != "Ref" {
			c.errorf(properties, "Properties must be an object of named properties, and here is %s; write Properties: {Name: value}", kindOf(properties))
		} else {
			res.properties = c.object(properties)
		}
	}
	if metadata := n.get("Metadata"); metadata != nil {
		res.metadata = c.expr(metadata) // a reference in it is a dependency like any other
	}
	if condition := n.get("Condition"); condition != nil {
		res.condition, _ = c.conditionName(condition, "Condition: Name")
	}
	c.dependsOn(res)
	res.deletionPolicy, res.policies[0] = c.policy(n.get("DeletionPolicy"), deletionPolicies)
	res.updateReplacePolicy, res.policies[1] = c.policy(n.get("UpdateReplacePolicy"), updateReplacePolicies)
	for _, key := range []string{"CreationPolicy", "UpdatePolicy"} {
		if at := n.get(key); at != nil {
			c.expr(at)
			c.warnf(at, "%s is not played here: nothing waits for signals", key)
		}
	}
	if at := n.get("Description"); at != nil {
		c.word(at, "the Description of a resource", "Description: what it is for")
	}
	if at := n.get("Version"); at != nil && !engine.IsCustomResource(res.Type) {
		c.errorf(at, "Version belongs to custom resources only; remove it")
	}
	if res.Type == "AWS::CloudFormation::WaitCondition" {
		c.warnf(res.key, "no signals are waited for here: the wait condition is complete at once")
	}
	if res.condition == "" {
		c.checkCustom(res)
	}
}

func (c *compiler) dependsOn(res *resource) {
	at := res.at.get("DependsOn")
	if at == nil {
		return
	}
	items := []*node{at}
	if at.kind == list {
		items = at.items
	}
	for _, item := range items {
		if len(c.errors) > maxErrors {
			return
		}
		name, ok := c.word(item, "DependsOn", "DependsOn: LogicalID or DependsOn: [LogicalID, LogicalID]")
		switch {
		case !ok:
		case c.resources[name] == nil && c.parameters[name] != nil:
			c.errorf(item, "%s is a parameter; DependsOn names resources only", name)
		case c.resources[name] == nil:
			c.errorf(item, "there is no resource %s%s", shorten(name), didYouMean(name, maps.Keys(c.resources)))
		default:
			res.dependsOn = append(res.dependsOn, need{name, item})
		}
	}
}

var (
	deletionPolicies      = []string{"Delete", "Retain", "RetainExceptOnCreate", "Snapshot"}
	updateReplacePolicies = []string{"Delete", "Retain", "Snapshot"}
)

// policy reads one of the two policies: a word, or with AWS::LanguageExtensions a function.
func (c *compiler) policy(at *node, allowed []string) (string, expr) {
	switch {
	case at == nil:
		return "", nil
	case c.settled != nil && at.kind == object:
		return "", c.textual(at, at.name)
	}
	example := at.name + ": Retain"
	if at.kind == object {
		example += ", or add Transform: " + languageExtensions
	}
	value, ok := c.word(at, at.name, example)
	if ok && !slices.Contains(allowed, value) {
		c.errorf(at, "%s is one of %s; write %s", at.name, strings.Join(allowed, ", "), example)
	}
	return value, nil
}

// policy evaluates a policy that is a function; AWS::NoValue is none.
func (p *planner) policy(e expr, at *node, allowed []string) string {
	v, err := e.eval(&evaluation{decisions: p.decisions})
	if err != nil {
		p.report.add(err)
		return ""
	}
	if v == any(noValue{}) {
		return ""
	}
	s, _ := text(v)
	if !slices.Contains(allowed, s) {
		p.report.errorf(at, "%s comes to none of %s", at.name, strings.Join(allowed, ", "))
	}
	return s
}
