package physicalid

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NotCreated is the physical ID in the answer to a Create that made nothing. CloudFormation demands
// an ID even there, and sends a Delete with it when it rolls back; a Delete with NotCreated is
// answered with SUCCESS and reaches no handler.
const NotCreated = "cfnresource:not-created"

// MaxBytes is the longest ID that CloudFormation accepts, in bytes
// (Template reference, "Custom resource response objects": up to 1 KB).
const MaxBytes = 1024

// Validate returns an error that says what is wrong with id, or nil if CloudFormation can keep it
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
