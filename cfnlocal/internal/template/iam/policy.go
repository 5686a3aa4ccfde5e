// Package iam tells from policies whether a role lets a function be invoked.
package iam

import (
	"path"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// A Grant is what policies say of invoking one function. The zero value says nothing about it,
// which is a refusal.
type Grant struct {
	Allowed bool
	Named   bool // the resource that allows it is more than an asterisk
	Unclear bool // there is something that is not read here: a condition, a refusal, a policy of AWS or of another stack
}

// Denied reports whether nothing allows the invocation, and all of the policies is read here.
func (g Grant) Denied() bool { return !g.Allowed && !g.Unclear }

// Policies are what a role's policies say of invoking functions: the patterns of those that it is
// allowed for, and of those for which there is a condition or a refusal.
type Policies struct {
	allowed, doubtful []string
	unclear           bool
}

// invoke is the action that is asked about.
const invoke = "lambda:InvokeFunction"

// Attach adds an item of a role's Policies or ManagedPolicyArns. SAM takes documents, names of
// policies, and templates of its own beside what IAM takes.
func (p *Policies) Attach(policy any) {
	switch policy := policy.(type) {
	case string:
		switch policy[strings.LastIndexByte(policy, '/')+1:] {
		case "AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole", "AWSXRayDaemonWriteAccess":
			return // they let a function log, and reach a network
		}
	case map[string]any:
		switch document, has := policy["PolicyDocument"]; {
		case has:
			p.Document(document)
			return
		case policy["Statement"] != nil:
			p.Document(policy)
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

// Document adds a policy document.
func (p *Policies) Document(document any) {
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
	return wildcard(strings.ToLower(pattern), strings.ToLower(invoke))
}

// statement adds a statement about invocations.
func (p *Policies) statement(statement map[string]any) {
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

// Invoking is what the policies say of an invocation of an ARN, with a qualifier or without.
func (p *Policies) Invoking(arn string) (g Grant) {
	means := func(pattern string) bool { return wildcard(pattern, arn) || wildcard(pattern, arn+":qualifier") }
	g.Unclear = p.unclear || slices.ContainsFunc(p.doubtful, means)
	for _, pattern := range p.allowed {
		if means(pattern) {
			_, name, _ := strings.Cut(pattern, ":function:")
			g.Allowed, g.Named = true, g.Named || strings.Trim(name, "*:") != ""
		}
	}
	return g
}

// ordinary takes from characters what they mean to path.Match, and not to IAM.
var ordinary = strings.NewReplacer(`\`, `\\`, `[`, `\[`)

// wildcard says whether a pattern of IAM's, with * and ?, is that of a text without slashes, as
// actions and the ARNs of functions are.
func wildcard(pattern, text string) bool {
	matches, err := path.Match(ordinary.Replace(pattern), text)
	return err == nil && matches
}
