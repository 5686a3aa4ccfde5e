// Package iam tells from policies whether a role lets a function be invoked.
package iam

import (
	"path"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
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

// Add adds what another policy says.
func (g Grant) Add(other Grant) Grant {
	return Grant{
		Allowed: g.Allowed || other.Allowed,
		Named:   g.Named || other.Named,
		Unclear: g.Unclear || other.Unclear,
	}
}

// invoke is the action that is asked about.
const invoke = "lambda:InvokeFunction"

// Attached is what an item of a role's Policies or ManagedPolicyArns says of an invocation of an
// ARN. SAM takes documents, names of policies, and templates of its own beside what IAM takes.
func Attached(policy any, arn string) Grant {
	switch policy := policy.(type) {
	case string:
		switch policy[strings.LastIndexByte(policy, '/')+1:] {
		case "AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole", "AWSXRayDaemonWriteAccess":
			return Grant{} // they let a function log, and reach a network
		}
	case map[string]any:
		if document, has := policy["PolicyDocument"]; has {
			return Document(document, arn)
		}
		switch {
		case policy["Statement"] != nil:
			return Document(policy, arn)
		case policy["LambdaInvokePolicy"] != nil:
			parameters, _ := policy["LambdaInvokePolicy"].(map[string]any)
			name, _ := source.Text(parameters["FunctionName"])
			prefix := arn[:strings.LastIndexByte(arn, ':')+1]
			return ofStatement(map[string]any{"Effect": "Allow", "Action": invoke, "Resource": prefix + name + "*"}, arn)
		case len(policy) == 1:
			return Grant{} // another template, which lets nothing be invoked
		}
	}
	return Grant{Unclear: true}
}

// Document is what a policy document says of an invocation of an ARN.
func Document(document any, arn string) (g Grant) {
	policy, ok := document.(map[string]any)
	if !ok {
		return Grant{Unclear: true}
	}
	for _, one := range source.Listed(policy["Statement"]) {
		statement, ok := one.(map[string]any)
		if !ok {
			return Grant{Unclear: true}
		}
		g = g.Add(ofStatement(statement, arn))
	}
	return g
}

// ofStatement is what a statement of a policy says of an invocation of an ARN, with a qualifier or
// without.
func ofStatement(statement map[string]any, arn string) (g Grant) {
	if statement["NotAction"] != nil || statement["NotResource"] != nil {
		return Grant{Unclear: true}
	}
	about := false
	for _, action := range source.Listed(statement["Action"]) {
		pattern, _ := source.Text(action)
		about = about || wildcard(strings.ToLower(pattern), strings.ToLower(invoke))
	}
	if !about {
		return Grant{}
	}
	for _, resource := range source.Listed(statement["Resource"]) {
		pattern, ok := source.Text(resource)
		if !ok {
			return Grant{Unclear: true}
		}
		if wildcard(pattern, arn) || wildcard(pattern, arn+":qualifier") {
			g.Allowed = true
			_, name, _ := strings.Cut(pattern, ":function:")
			g.Named = g.Named || strings.Trim(name, "*:") != ""
		}
	}
	effect, _ := source.Text(statement["Effect"])
	if g.Allowed && (effect != "Allow" || statement["Condition"] != nil) {
		return Grant{Unclear: true}
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
