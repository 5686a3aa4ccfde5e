package physicalid

import "strings"

// StackName returns the stack's name out of its ID, an ARN that ends in
// stack/NAME/UUID, or "" if stackID is not of that form.
func StackName(stackID string) string {
	_, resource, found := strings.Cut(stackID, ":stack/")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(resource, "/")
	return name
}

// Generated reports whether id has the shape of the IDs that CloudFormation makes up where it never
// learned one: the start of the stack's name, the start of the logical ID, and 12 or 13 letters or
// digits, joined by hyphens. CloudFormation sends one in the Delete of a resource whose Create was
// cancelled, not answered, or answered in a form that it refused.
//
// The shape is not CloudFormation's alone (other libraries imitate it), and the form is observed,
// not documented: the answer is a reason to look, not a proof.
func Generated(id, stackID, logicalID string) bool {
	rest, suffix, found := cutLast(id)
	if !found || len(suffix) < 12 || len(suffix) > 13 || strings.ContainsFunc(suffix, notAlphanumeric) {
		return false
	}
	// Stack names have hyphens, logical IDs have none.
	stack, logical, found := cutLast(rest)
	return found && stack != "" && logical != "" &&
		strings.HasPrefix(StackName(stackID), stack) && strings.HasPrefix(logicalID, logical)
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '-')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func notAlphanumeric(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}
