package template

import (
	"path"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// capabilityTypes are the types that need a capability (CreateStack, Capabilities), and the property that
// gives a resource a name of its own, "" if none does: an access key has the name of its user.
var capabilityTypes = map[string]string{
	"AWS::IAM::AccessKey":           "",
	"AWS::IAM::Group":               "GroupName",
	"AWS::IAM::InstanceProfile":     "InstanceProfileName",
	"AWS::IAM::ManagedPolicy":       "ManagedPolicyName",
	"AWS::IAM::Policy":              "",
	"AWS::IAM::Role":                "RoleName",
	"AWS::IAM::User":                "UserName",
	"AWS::IAM::UserToGroupAddition": "",
}

// The capabilities: for resources of IAM, for those with names of their own, and for transforms.
const (
	capabilityIAM        = "CAPABILITY_IAM"
	capabilityNamedIAM   = "CAPABILITY_NAMED_IAM"
	capabilityAutoExpand = "CAPABILITY_AUTO_EXPAND"
)

// MissingCapabilities returns the capabilities that are needed and were not given, each once.
// CAPABILITY_NAMED_IAM includes CAPABILITY_IAM.
func MissingCapabilities(needed, given []string) (all []string) {
	for _, c := range needed {
		named := slices.Contains(given, capabilityNamedIAM) || slices.Contains(needed, capabilityNamedIAM)
		more := c == capabilityIAM && named
		if slices.Contains(slices.Concat(given, all), c) {
			continue
		}
		if !more {
			all = append(all, c)
		}
	}
	return all
}

// capabilityOf is the capability that a client must give before a resource of a type is made, or
// "". properties are the names of the resource's properties.
func capabilityOf(typ string, properties []string) string {
	switch name, needed := capabilityTypes[typ]; {
	case !needed:
		return ""
	case slices.Contains(properties, name):
		return capabilityNamedIAM
	}
	return capabilityIAM
}

// invokeGrant is whether policies allow one function to be invoked. The zero value does not.
type invokeGrant struct {
	allowed bool
	named   bool // the resource that allows it is more than an asterisk
	unclear bool // a part is not evaluated: a condition, a Deny, a policy of AWS or of another stack
}

// denied reports whether the policies were read in full, and none allows the invocation.
func (g invokeGrant) denied() bool { return !g.allowed && !g.unclear }

// rolePolicies are a role's policies as far as they concern invoking functions: the patterns of the
// functions that they allow, and of those with a condition or a Deny.
type rolePolicies struct {
	allowed, doubtful []string // as path.Match takes them
	unclear           bool
}

// invokeAction is the action that is asked about.
const invokeAction = "lambda:InvokeFunction"

// attach adds an item of a role's Policies or ManagedPolicyArns. Besides IAM's forms, SAM accepts
// documents, names of policies, and policy templates of its own.
func (p *rolePolicies) attach(policy any) {
	switch policy := policy.(type) {
	case string:
		switch policy[strings.LastIndexByte(policy, '/')+1:] {
		case "AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole", "AWSXRayDaemonWriteAccess":
			return // they let a function log, and reach a network
		}
	case map[string]any:
		// IAM's own form, a document by itself, and the one policy template of SAM that allows invocations.
		switch document, has := policy["PolicyDocument"]; {
		case has:
			p.document(document)
			return
		case policy["Statement"] != nil:
			p.document(policy)
			return
		case policy["LambdaInvokePolicy"] != nil:
			parameters, _ := policy["LambdaInvokePolicy"].(map[string]any)
			name, _ := source.Text(parameters["FunctionName"])
			p.allowed = append(p.allowed, glob("arn:*:function:"+name+"*"))
			return
		case len(policy) == 1:
			return // another policy template, which allows no invocation
		}
	}
	p.unclear = true
}

// document adds a policy document.
func (p *rolePolicies) document(document any) {
	policy, ok := document.(map[string]any)
	p.unclear = p.unclear || !ok
	// What excludes actions or resources may allow the invocation: only a list of them is read.
	for _, one := range source.Listed(policy["Statement"]) {
		statement, ok := one.(map[string]any)
		switch {
		case !ok, statement["NotAction"] != nil, statement["NotResource"] != nil:
			p.unclear = true
		case slices.ContainsFunc(source.Listed(statement["Action"]), isInvoke):
			p.statement(statement)
		}
	}
}

func isInvoke(action any) bool {
	pattern, _ := source.Text(action)
	return wildcard(glob(strings.ToLower(pattern)), strings.ToLower(invokeAction))
}

// statement adds a statement about invocations.
func (p *rolePolicies) statement(statement map[string]any) {
	// A condition is not evaluated here, and a Deny can take back what another statement allows.
	effect, _ := source.Text(statement["Effect"])
	patterns := &p.allowed
	if effect != "Allow" || statement["Condition"] != nil {
		patterns = &p.doubtful
	}
	for _, resource := range source.Listed(statement["Resource"]) {
		pattern, ok := source.Text(resource)
		p.unclear = p.unclear || !ok
		*patterns = append(*patterns, glob(pattern))
	}
}

// invoking returns whether the policies allow an invocation of an ARN, with or without a qualifier.
func (p *rolePolicies) invoking(arn string) (g invokeGrant) {
	qualified := arn + ":qualifier"
	means := func(pattern string) bool { return wildcard(pattern, arn) || wildcard(pattern, qualified) }
	g.unclear = p.unclear || slices.ContainsFunc(p.doubtful, means)
	// A pattern that is an asterisk means every function, so it shows nothing of what was intended.
	for _, pattern := range p.allowed {
		if means(pattern) {
			_, name, _ := strings.Cut(pattern, ":function:")
			g.allowed, g.named = true, g.named || strings.Trim(name, "*:") != ""
		}
	}
	return g
}

// globLiterals escapes the characters that are special to path.Match, and not to IAM.
var globLiterals = strings.NewReplacer(`\`, `\\`, `[`, `\[`)

// glob is a pattern of IAM in the syntax of path.Match.
func glob(pattern string) string { return globLiterals.Replace(pattern) }

// wildcard reports whether a pattern of IAM, with * and ?, matches a text without slashes, such as an
// action or the ARN of a function.
func wildcard(pattern, text string) bool {
	matches, err := path.Match(pattern, text)
	return err == nil && matches
}

// invocation is whether the policies of a function's role let it invoke another function, or itself. That
// is unclear if the role is not in the template.
func (p *planner) invocation(function, invoked *resource, active []*resource) invokeGrant {
	role, _ := p.predict(function.properties.get("Role")).(string)
	id, name, _ := strings.Cut(strings.TrimPrefix(role, predictedAttribute), ".")
	switch {
	case !strings.HasPrefix(role, predictedAttribute), name != "Arn", p.names.resources[id].Type != "AWS::IAM::Role":
		return invokeGrant{unclear: true}
	}
	attribute, err := predicted{p}.GetAtt(invoked.LogicalID, "Arn")
	if err != nil {
		return invokeGrant{unclear: true}
	}
	arn, _ := attribute.(string) // a function's Arn is always a string
	// Several functions can share a role.
	if p.policies[id] == nil {
		p.policies[id] = p.policiesOf(id, active)
	}
	// An ARN is compared with a pattern twice, at a cost of up to the product of their lengths.
	all, work := p.policies[id], 0
	for _, pattern := range slices.Concat(all.allowed, all.doubtful) {
		work += len(arn) + len(pattern) + 2*len(arn)*len(pattern)/perStep
	}
	if !p.budget.take(planning, work) {
		return invokeGrant{unclear: true}
	}
	return all.invoking(arn)
}

// policiesOf are the policies of a role: its own, and those of other resources that name it.
func (p *planner) policiesOf(id string, active []*resource) *rolePolicies {
	all := new(rolePolicies)
	properties := p.names.resources[id].properties
	for _, property := range []string{"Policies", "ManagedPolicyArns"} {
		for _, policy := range source.Listed(p.predict(properties.get(property))) {
			all.attach(p.policyOf(policy))
		}
	}
	for _, res := range p.attachedTo(id, active) {
		all.document(p.predict(res.properties.get("PolicyDocument")))
	}
	return all
}

// policyOf replaces a reference to a managed policy of the template by that policy.
func (p *planner) policyOf(policy any) any {
	s, _ := policy.(string)
	id, here := strings.CutPrefix(s, predictedRef)
	if !here || p.names.resources[id].Type != "AWS::IAM::ManagedPolicy" {
		return policy
	}
	return map[string]any{"PolicyDocument": p.predict(p.names.resources[id].properties.get("PolicyDocument"))}
}
