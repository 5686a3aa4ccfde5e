package template

import (
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// resource is one entry of Resources, after the SAM transform.
type resource struct {
	LogicalID, Type     string
	spec                *awsType
	transformed         bool         // by SAM, or made by it
	key, at             *source.Node // the logical ID, and the resource itself
	properties          objectExpr
	metadata            expr
	condition           string // "" if there is none
	dependsOn           []dependency
	deletionPolicy      expr // nil if there is none, as the next
	updateReplacePolicy expr
}

// place is the node of a property, or of the resource if it is missing.
func (res *resource) place(name string) *source.Node {
	if n := res.at.Get("Properties").Get(name); n != nil {
		return n
	}
	return res.key
}

const maxResources = 500 // CloudFormation's quota

const (
	typeFunction    = "AWS::Lambda::Function"
	typeEventInvoke = "AWS::Lambda::EventInvokeConfig"
	typeLogGroup    = "AWS::Logs::LogGroup"
)

var resourceKeys = []string{
	"Type", "Properties", "DependsOn", "Condition", "DeletionPolicy", "UpdateReplacePolicy", "Metadata", "CreationPolicy", "UpdatePolicy",
	"Description", "Version",
}

// declareResources takes logical IDs and types, so that references can be checked in any order.
// written is the section before SAM's transform.
func declareResources(section, written *source.Node, r *source.Report) (map[string]*resource, []*resource) {
	all := map[string]*resource{}
	var order []*resource
	moves := maxMoves
	for _, f := range section.Entries() {
		r.CheckName(f.Key, "a resource")
		res := &resource{LogicalID: f.Name(), key: f.Key, at: eachOnItsOwn(f.Value, &moves), transformed: written.Get(f.Name()) != f.Value}
		all[res.LogicalID] = res
		order = append(order, res)
		// A resource with a mistake stays declared, so that references to it are not reported as well.
		if strings.HasPrefix(f.Name(), "Fn::") {
			continue
		}
		if f.Value.Kind != source.Object {
			r.Errorf(f.Value, "a resource must be an object, not %s; write %s: {Type: ..., Properties: {...}}", f.Value.Describe(), source.Shorten(f.Name()))
			continue
		}
		// The Type decides all else, so it must be written out: CloudFormation evaluates no function there.
		r.CheckKeys(f.Value, "a resource", resourceKeys)
		t := f.Value.Get("Type")
		if t == nil {
			r.Errorf(f.Key, "the resource %s has no Type; write Type: Custom::Name for a custom resource, or a type of AWS", source.Shorten(f.Name()))
			continue
		}
		var ok bool
		if res.Type, ok = t.Text(); !ok || res.Type == "" {
			r.Errorf(t, "Type must be a literal string, not %s; write Type: AWS::Service::Resource or Type: Custom::Name", t.Describe())
			continue
		}
		res.spec = typeOf(res.Type, t, f.Value, r)
	}
	return all, order
}

// compileResource reads everything but the Type.
func (c *compiler) compileResource(res *resource) {
	n := res.at
	if n.Kind != source.Object {
		return
	}
	// Its properties and metadata.
	if properties := n.Get("Properties"); properties != nil {
		if _, _, isFunction := c.function(properties); properties.Kind != source.Object || isFunction && properties.Fields[0].Name() != "Ref" {
			c.Errorf(properties, "Properties must be an object of named properties, not %s; write Properties: {Name: value}", properties.Describe())
		} else {
			c.standIn = isStandIn(res.Type)
			res.properties = c.object(properties)
			c.standIn = false
		}
	}
	if metadata := n.Get("Metadata"); metadata != nil {
		res.metadata = c.expr(metadata) // a reference in it is a dependency like any other
	}
	// Its condition, its dependencies, and its policies.
	if condition := n.Get("Condition"); condition != nil {
		res.condition, _ = c.conditionName(condition, "Condition: Name")
	}
	c.dependsOn(res)
	res.deletionPolicy = c.policy(n.Get("DeletionPolicy"), deletionPolicies)
	res.updateReplacePolicy = c.policy(n.Get("UpdateReplacePolicy"), updateReplacePolicies)
	// Attributes that have no effect here, or are only checked.
	for _, key := range []string{"CreationPolicy", "UpdatePolicy"} {
		if at := n.Get(key); at != nil {
			c.expr(at)
			c.Warnf(at, "%s has no effect here: nothing waits for signals", key)
		}
	}
	if at := n.Get("Description"); at != nil {
		c.word(at, "the Description of a resource", "Description: its purpose")
	}
	if at := n.Get("Version"); at != nil && !engine.IsCustomResource(res.Type) {
		c.Errorf(at, "Version belongs to custom resources only; remove it")
	}
	if res.Type == "AWS::CloudFormation::WaitCondition" {
		c.Warnf(res.key, "nothing waits for signals here: the wait condition completes at once")
	}
	if res.condition == "" {
		c.checkCustom(res)
	}
}

// isStandIn reports whether nothing runs for resources of a type.
func isStandIn(resourceType string) bool {
	if resourceType == typeFunction || resourceType == typeStack {
		return false
	}
	return !engine.IsCustomResource(resourceType)
}

// eachOnItsOwn returns a resource with an Fn::If around all of its properties moved to each of them.
// CloudFormation accepts such a block (observed: stelligent/cfn_nag#334).
func eachOnItsOwn(resource *source.Node, moves *int) *source.Node {
	properties := resource.Get("Properties")
	moved := moveIf(properties, moves)
	if moved == properties {
		return resource
	}
	out := source.NewObject(resource)
	for _, f := range resource.Fields {
		if f.Value == properties {
			f.Value = moved
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

// maxMoves is how many values of a template Fn::If is moved to: nested, it is moved once a level to each.
const maxMoves = 100_000

// moveIf moves Fn::If around objects to each of their values, or returns its argument.
func moveIf(n *source.Node, moves *int) *source.Node {
	switch {
	case n == nil, !n.IsCall(), n.Fields[0].Name() != "Fn::If", len(n.Fields[0].Value.Items) != 3:
		return n
	}
	// The fields of each branch. AWS::NoValue has none.
	call := n.Fields[0]
	var branches [2]*source.Node
	var values [2]map[string]*source.Node
	for i, branch := range call.Value.Items[1:] {
		branches[i], values[i] = moveIf(branch, moves), map[string]*source.Node{}
		if name, _ := branch.Get("Ref").Text(); name == "AWS::NoValue" {
			branches[i] = source.NewObject(branch)
		}
		if *moves -= len(branches[i].Fields); branches[i].Kind != source.Object || branches[i].IsCall() || *moves < 0 {
			return n
		}
		for _, f := range branches[i].Fields {
			values[i][f.Name()] = f.Value
		}
	}
	// Each name once, with the values of both branches, or AWS::NoValue.
	valueOf := func(i int, name string) *source.Node {
		if value := values[i][name]; value != nil {
			return value
		}
		return source.NewObject(branches[i], source.NewField("Ref", source.NewScalar(branches[i], "AWS::NoValue")))
	}
	// The order is that of the file, so that messages and dependencies keep theirs.
	out := source.NewObject(n)
	for i, branch := range branches {
		for _, f := range branch.Fields {
			if i > 0 && values[0][f.Name()] != nil {
				continue
			}
			either := source.NewList(call.Value, call.Value.Items[0], valueOf(0, f.Name()), valueOf(1, f.Name()))
			f.Value = source.NewObject(n, source.Field{Key: call.Key, Value: either})
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

func (c *compiler) dependsOn(res *resource) {
	for _, item := range res.at.Get("DependsOn").Listed() {
		if len(c.Errors) > maxErrors {
			return
		}
		name, ok := c.word(item, "DependsOn", "DependsOn: LogicalID or DependsOn: [LogicalID, LogicalID]")
		switch {
		case !ok:
		case c.resources[name] == nil && c.parameters[name] != nil:
			c.Errorf(item, "%s is a parameter; DependsOn names resources only", name)
		case c.resources[name] == nil:
			c.Errorf(item, "there is no resource %s%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(c.resources)))
		default:
			res.dependsOn = append(res.dependsOn, dependency{name: name, at: item})
		}
	}
}

// snapshotTypes are the types that have snapshots ("DeletionPolicy attribute" in the user guide).
var snapshotTypes = []string{
	"AWS::DocDB::DBCluster", "AWS::EC2::Volume", "AWS::ElastiCache::CacheCluster", "AWS::ElastiCache::ReplicationGroup",
	"AWS::Neptune::DBCluster", "AWS::RDS::DBCluster", "AWS::RDS::DBInstance", "AWS::Redshift::Cluster",
}

// checkSnapshot reports policies of a resource that has no snapshots. UpdateReplacePolicy then
// means Delete [D].
func (p *planner) checkSnapshot(res *resource, deletion, replacement string) {
	if res.spec == nil || slices.Contains(snapshotTypes, res.Type) {
		return
	}
	if deletion == "Snapshot" {
		p.report.Checkf(res.at.Get("DeletionPolicy"), "%s has no snapshots; write Retain to keep the resource, or Delete", res.Type)
	}
	if replacement == "Snapshot" {
		p.report.Warnf(res.at.Get("UpdateReplacePolicy"), "%s has no snapshots: a replaced resource is deleted; write Retain to keep it", res.Type)
	}
}

var (
	deletionPolicies      = []string{"Delete", "Retain", "RetainExceptOnCreate", "Snapshot"}
	updateReplacePolicies = []string{"Delete", "Retain", "Snapshot"}
)

// policyFunctions are the functions that a policy may have. AWS documents none without
// AWS::LanguageExtensions [O] (cfn-lint's rule E3035, pull request 2784 of aws-cloudformation/cfn-lint).
var policyFunctions = []string{"Fn::FindInMap", "Fn::If", "Fn::Select", "Fn::Sub", "Ref"}

// policy reads one of the two policies: a word, or one of the functions, or with
// AWS::LanguageExtensions any.
func (c *compiler) policy(at *source.Node, allowed []string) expr {
	if at == nil {
		return nil
	}
	if name, _, is := c.function(at); is && (c.settled != nil || slices.Contains(policyFunctions, name)) {
		return c.textual(at, at.Name)
	}
	// A literal is known now, so a mistake in it is one of the template.
	example := at.Name + ": Retain"
	if at.Kind == source.Object { // [D]
		example += ", or add Transform: " + languageExtensions + ", without which CloudFormation refuses the value"
	}
	value, ok := c.word(at, at.Name, example)
	if ok && !slices.Contains(allowed, value) {
		c.Errorf(at, "%s must be one of %s; write %s", at.Name, strings.Join(allowed, ", "), example)
	}
	return literal{value}
}

// policy evaluates a policy; AWS::NoValue is none.
func (p *planner) policy(e expr, at *source.Node, allowed []string) string {
	v, there := p.known(e)
	if !there {
		return ""
	}
	s, _ := source.Text(v)
	if !slices.Contains(allowed, s) {
		p.report.Errorf(at, "%s must evaluate to one of %s", at.Name, strings.Join(allowed, ", "))
	}
	return s
}

// awsType is a type of AWS. Nothing is known of a nil one, and nothing is checked.
type awsType struct {
	name string
	*resourcetype.Type
}

// typeOf returns the table's entry for a resource's type, which is written at a node, and reports a type
// that AWS does not have.
func typeOf(t string, at, resource *source.Node, r *source.Report) *awsType {
	// What is known not to be a type of AWS comes before the search in the table, which knows only those of one day.
	name, custom := strings.CutPrefix(t, "Custom::")
	switch {
	case custom && !resourcetype.IsCustom(t):
		r.Errorf(at, "the name behind Custom:: has 1 to 60 letters, digits, and the characters _ @ -, and %q is not such a name", source.Shorten(name))
	case custom, t == "AWS::CloudFormation::CustomResource", strings.HasPrefix(t, "AWS::CDK::"):
	case t == sam.Function: // it was transformed, or reported because the transform is missing
	case strings.HasSuffix(t, "::MODULE"):
		r.Errorf(at, "modules are not supported here, since they are in the registry of an account; write the resources of the module's fragment in its place")
	case strings.HasPrefix(t, "AWS::Serverless::"):
		r.Errorf(at, "%s is not a type of SAM that is known here%s", source.Shorten(t), source.DidYouMean(t, sam.Types()))
	case strings.HasPrefix(t, "Custom:"):
		r.Errorf(at, "%s is not a resource type; write Custom::%s, with two colons", source.Shorten(t), source.Shorten(strings.TrimLeft(t[len("Custom:"):], ":")))
	case !resourcetype.IsName(t):
		r.Errorf(at, "%s is not a resource type; types are written Custom::Name or AWS::Service::Resource", source.Shorten(t))
	case strings.HasPrefix(t, "AWS::") && !sam.IsNewer(resource):
		return findType(t, at, r)
	}
	return nil
}

func findType(t string, at *source.Node, r *source.Report) *awsType {
	if found := resourcetype.Find(t); found != nil {
		return &awsType{t, found}
	}
	if near := source.Within(2, t, resourcetype.Names()); near != "" {
		r.Checkf(at, "%s is not a resource type; did you mean %s?%s", source.Shorten(t), near, asOf())
	} else {
		r.Warnf(at, "%s was not a resource type of AWS on %s; a stand-in takes its place, and is not checked", source.Shorten(t), resourcetype.Date())
	}
	return nil
}

// asOf is a clause for the end of a message that was true when the table was made, with what to do
// if that has changed.
func asOf() string {
	return " (as of " + resourcetype.Date() + "; if AWS has changed: Metadata: {cfnlocal: {newer: true}})"
}

// checkAttribute reports an attribute that the type does not have. The table does not always list
// the parts of an attribute, and for some types AWS returns properties too.
func (t *awsType) checkAttribute(name string, at *source.Node, r *source.Report) {
	if t == nil {
		return
	}
	all := slices.Collect(maps.Keys(t.Attributes))
	below := func(whole string) bool { // an attribute whose parts are not listed
		hasParts := slices.ContainsFunc(all, func(a string) bool { return strings.HasPrefix(a, whole+".") })
		return strings.HasPrefix(name, whole+".") && !hasParts
	}
	first, _, _ := strings.Cut(name, ".")
	_, property := t.Properties[first]
	switch {
	case slices.Contains(all, name), slices.ContainsFunc(all, below):
	case property:
		r.Warnf(at, "%s is a property of %s, and most types return only their attributes", source.Shorten(name), t.name)
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
