package query

import (
	"regexp"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Source provides the stacks. Its methods are safe for concurrent use.
type Source interface {
	// Names returns the names of all stacks, also of deleted ones, sorted.
	Names() ([]string, error)
	// Stack returns the latest stack of a name, or nil if there has been none.
	Stack(name string) (*Stack, error)
}

// A Stack is a stack as it is at one moment. It does not change while it is read.
type Stack struct {
	*engine.Stack
	// Description, Parameters, Declared and Template, which is its text, are those of the template
	// that the stack is being brought to, or back to. Secrets are masked in all of them.
	Description string
	Parameters  []Parameter
	Declared    []Declared
	Template    string
	// Capabilities and Tags are those that an order gave.
	Capabilities []string
	Tags         []Tag
}

// A Parameter is a parameter's value, with the API's names.
type Parameter struct {
	ParameterKey, ParameterValue string
	ResolvedValue                string `xml:",omitempty"`
}

func (s *Stack) deleted() bool { return s.Status == "" || s.Status == "DELETE_COMPLETE" }

// nameOrARN is what a StackName must look like, and is said to [O].
var nameOrARN = regexp.MustCompile(`^(?:[a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*)$`)

// maxName is how long a stack's name can be (CreateStack).
const maxName = 128

// stack returns the stack that StackName names. A deleted stack is found by its
// ARN alone [D]. missing is the error's text if there is none: each action has its own.
func (c *call) stack(missing string) (*Stack, error) {
	id, err := c.required("StackName")
	if err != nil {
		return nil, err
	}
	if !nameOrARN.MatchString(id) {
		return nil, invalidValue(id, "StackName", "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*")
	}
	s, err := c.find(id)
	if err == nil && s == nil {
		err = invalid(missing, shorten(id))
	}
	return s, err
}

// find returns the stack of a name or an ARN, or nil.
func (c *call) find(id string) (*Stack, error) {
	name, byARN := id, false
	if strings.HasPrefix(id, "arn:") {
		byARN = true
		if parts := strings.SplitN(id, "/", 3); len(parts) == 3 {
			name = parts[1]
		}
	}
	if len(name) > maxName {
		return nil, nil
	}
	s, err := c.source.Stack(name)
	switch {
	case err != nil, s == nil:
		return nil, err
	case byARN && s.ID != id, !byARN && s.deleted(), s.Status == "":
		return nil, nil
	}
	return s, nil
}
