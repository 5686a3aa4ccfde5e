package template

import (
	"regexp"
	"strings"
)

// A Permission is whether a function's role lets it invoke itself, as far as the template tells.
type Permission string

// The permissions.
const (
	PermissionUnknown Permission = ""
	Permitted         Permission = "Permitted"
	NotPermitted      Permission = "NotPermitted"
)

// A grant is what policies say of one action on one ARN. The zero value says nothing about it, which is a refusal.
type grant struct {
	allowed bool
	named   bool // the resource that allows it is more than an asterisk
	unclear bool // there is something that is not read here: a condition, a refusal, a policy of AWS or of another stack
}

func (g grant) permission() Permission {
	switch {
	case g.unclear:
		return PermissionUnknown
	case g.allowed:
		return Permitted
	}
	return NotPermitted
}

// add adds what another policy says.
func (g grant) add(other grant) grant {
	return grant{g.allowed || other.allowed, g.named || other.named, g.unclear || other.unclear}
}

// invokes is the action that Lambda's Invoke takes.
const invokes = "lambda:InvokeFunction"

// granted is what a policy document says of an invocation of an ARN.
func granted(document any, arn string) (g grant) {
	policy, ok := document.(map[string]any)
	if !ok {
		return grant{unclear: true}
	}
	for _, one := range listed(policy["Statement"]) {
		statement, ok := one.(map[string]any)
		if !ok {
			return grant{unclear: true}
		}
		g = g.add(permission(statement, arn))
	}
	return g
}

// permission is what a statement of a policy says of an invocation of an ARN, with a qualifier or without.
func permission(statement map[string]any, arn string) (g grant) {
	if statement["NotAction"] != nil || statement["NotResource"] != nil {
		return grant{unclear: true}
	}
	about := false
	for _, action := range listed(statement["Action"]) {
		pattern, _ := text(action)
		about = about || wildcard(strings.ToLower(pattern), strings.ToLower(invokes))
	}
	if !about {
		return grant{}
	}
	for _, resource := range listed(statement["Resource"]) {
		pattern, ok := text(resource)
		if !ok {
			return grant{unclear: true}
		}
		if wildcard(pattern, arn) || wildcard(pattern, arn+":qualifier") {
			g.allowed = true
			_, name, _ := strings.Cut(pattern, ":function:")
			g.named = g.named || strings.Trim(name, "*:") != ""
		}
	}
	effect, _ := text(statement["Effect"])
	if g.allowed && (effect != "Allow" || statement["Condition"] != nil) {
		return grant{unclear: true}
	}
	return g
}

// listed is a value, or the values of a list.
func listed(v any) []any {
	if l, ok := asList(v); ok || v == nil {
		return l
	}
	return []any{v}
}

// wildcard says whether a pattern of IAM's, with * and ?, is that of a text.
func wildcard(pattern, text string) bool {
	const most = 2048 // longer than any ARN
	if len(pattern) > most {
		return false
	}
	expression := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile(`(?s)^` + expression + `$`).MatchString(text)
}
