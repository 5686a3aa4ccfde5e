package host

import (
	"cmp"
	"regexp"
	"strings"
)

// functionName is what Invoke takes as a function: its name, its ARN, or the part
// of the ARN that begins with the account, each with a qualifier or without (AWS
// Lambda API Reference, "Invoke").
var functionName = regexp.MustCompile(`^(?:(?:(?:arn:(aws[a-zA-Z-]*):lambda:)?([a-z]{2,4}(?:-[a-z]+)+-\d):)?(\d{12}):function:)?([a-zA-Z0-9_.-]{1,140})(?::(\$LATEST|[a-zA-Z0-9_-]{1,128}))?$`)

// resolve returns the ARN of the function that a caller names, and qualifies in the name
// or separately: beside is "" if it does not. What the name leaves out is the caller's.
func resolve(caller, name, beside string) (arn string, err error) {
	m := functionName.FindStringSubmatch(name)
	if m == nil {
		return "", invalid(name, "functionName", "Member must satisfy regular expression pattern: "+functionName.String())
	}
	own := strings.Split(caller, ":")
	q := cmp.Or(m[5], beside)
	if beside != "" && q != beside {
		return "", errQualifiers
	}
	arn = strings.Join([]string{"arn", cmp.Or(m[1], own[1]), "lambda", cmp.Or(m[2], own[3]), cmp.Or(m[3], own[4]), "function", m[4]}, ":")
	if q == "" {
		return arn, nil
	}
	if !qualifierForm.MatchString(q) {
		return "", invalid(q, "qualifier", "Member must satisfy regular expression pattern: "+qualifierForm.String())
	}
	return arn + ":" + q, nil
}

var qualifierForm = regexp.MustCompile(`^(\$LATEST|[a-zA-Z0-9_-]{1,128})$`)
