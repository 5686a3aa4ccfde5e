package physicalid

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// StackName returns the stack's name from its ID, an ARN that ends in
// stack/NAME/UUID, or "" if stackID does not have that form.
func StackName(stackID string) string {
	_, resource, found := strings.Cut(stackID, ":stack/")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(resource, "/")
	return name
}

// Generated reports whether id has the shape of the IDs that CloudFormation makes up if it never
// learned one: the start of the stack's name, the start of the logical ID, and 12 or 13 letters or
// digits, joined by hyphens. CloudFormation sends one in the Delete of a resource whose Create was
// cancelled, not answered, or answered in a form that it refused.
//
// Other libraries imitate the shape, and AWS does not document it (it was observed). So true is a
// reason to look, not a proof.
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

// NotCreated is the physical ID in the answer to a Create that made nothing. CloudFormation demands
// an ID even there, and sends a Delete with it when it rolls back. A dispatcher answers that Delete
// SUCCESS, and calls no handler.
const NotCreated = "cfnresource:not-created"

// MaxBytes is the longest ID that CloudFormation accepts, in bytes
// (Template reference, "Custom resource response objects": up to 1 KB).
const MaxBytes = 1024

// Validate returns an error with what is wrong with id, or nil if CloudFormation can keep it
// as the physical ID of a resource. The error does not repeat the ID.
func Validate(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return errors.New("the physical ID is empty: CloudFormation would report \"Invalid PhysicalResourceId\" and make one up")
	case len(id) > MaxBytes:
		return fmt.Errorf("the physical ID has %d bytes, CloudFormation accepts at most %d: return a shorter name for the resource", len(id), MaxBytes)
	case !utf8.ValidString(id):
		return errors.New("the physical ID is not valid UTF-8")
	case strings.ContainsFunc(id, unicode.IsControl):
		return errors.New("the physical ID holds a control character, with which CloudFormation cannot list the stack's events: trim what a program printed")
	case id == NotCreated:
		return errors.New("the physical ID is the marker for \"not created\", which is never passed to a handler")
	}
	return nil
}
