package cfnresource

import (
	"strings"

	"github.com/cfnresource/sdk-go/physicalid"
)

// A StackID is the ID of a stack, an ARN:
// arn:aws:cloudformation:us-west-2:123456789012:stack/NAME/UUID. Its methods
// return "" for what is not of that form.
type StackID string

// Partition returns "aws", "aws-cn", "aws-us-gov", …
func (id StackID) Partition() string { return id.field(1) }

// Region returns the stack's Region.
func (id StackID) Region() string { return id.field(3) }

// Account returns the account that the stack belongs to.
func (id StackID) Account() string { return id.field(4) }

// StackName returns the stack's name.
func (id StackID) StackName() string { return physicalid.StackName(string(id)) }

func (id StackID) field(i int) string {
	fields := strings.SplitN(string(id), ":", 6)
	if len(fields) < 6 || fields[0] != "arn" {
		return ""
	}
	return fields[i]
}
