package template

import (
	"path"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// invokeGrant is what policies say of invoking one function. The zero value says nothing about it,
// which is a refusal.
type invokeGrant struct {
	allowed bool
	named   bool // the resource that allows it is more than an asterisk
	unclear bool // there is something that is not read here: a condition, a refusal, a policy of AWS or of another stack
}

// denied reports whether nothing allows the invocation, and all of the policies is read here.
func (g invokeGrant) denied() bool { return !g.allowed && !g.unclear }

// rolePolicies are what a role's policies say of invoking functions: the patterns of those that it is
// allowed for, and of those for which there is a condition or a refusal.
type rolePolicies struct {
	allowed, doubtful []string
	unclear           bool
}

// invokeAction is the action that is asked about.
const invokeAction = "lambda:InvokeFunction"

// attach adds an item of a role's Policies or ManagedPolicyArns. SAM takes documents, names of
// policies, and templates of its own beside what IAM takes.
func (p *rolePolicies) attach(policy any) {
	switch policy := policy.(type) {
	case string:
		switch policy[strings.LastIndexByte(policy, '/')+1:] {
		case "AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole", "AWSXRayDaemonWriteAccess":
			return // they let a function log, and reach a network
		}
	case map[string]any:
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
			p.allowed = append(p.allowed, "arn:*:function:"+name+"*")
			return
		case len(policy) == 1:
			return // another template, which lets nothing be invoked
		}
	}
	p.unclear = true
}

// document adds a policy document.
func (p *rolePolicies) document(document any) {
	policy, ok := document.(map[string]any)
	p.unclear = p.unclear || !ok
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
	return wildcard(strings.ToLower(pattern), strings.ToLower(invokeAction))
}

// statement adds a statement about invocations.
func (p *rolePolicies) statement(statement map[string]any) {
	effect, _ := source.Text(statement["Effect"])
	patterns := &p.allowed
	if effect != "Allow" || statement["Condition"] != nil {
		patterns = &p.doubtful
	}
	for _, resource := range source.Listed(statement["Resource"]) {
		pattern, ok := source.Text(resource)
		p.unclear = p.unclear || !ok
		*patterns = append(*patterns, pattern)
	}
}

// invoking is what the policies say of an invocation of an ARN, with a qualifier or without.
func (p *rolePolicies) invoking(arn string) (g invokeGrant) {
	means := func(pattern string) bool { return wildcard(pattern, arn) || wildcard(pattern, arn+":qualifier") }
	g.unclear = p.unclear || slices.ContainsFunc(p.doubtful, means)
	for _, pattern := range p.allowed {
		if means(pattern) {
			_, name, _ := strings.Cut(pattern, ":function:")
			g.allowed, g.named = true, g.named || strings.Trim(name, "*:") != ""
		}
	}
	return g
}

// globLiterals takes from characters what they mean to path.Match, and not to IAM.
var globLiterals = strings.NewReplacer(`\`, `\\`, `[`, `\[`)

// wildcard says whether a pattern of IAM's, with * and ?, is that of a text without slashes, as
// actions and the ARNs of functions are.
func wildcard(pattern, text string) bool {
	matches, err := path.Match(globLiterals.Replace(pattern), text)
	return err == nil && matches
}
