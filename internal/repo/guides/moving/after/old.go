package after

import (
	"context"
	"regexp"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// oldName is what the program of before called a mailbox.
func oldName(p Props) string { return "mailbox-" + p.Owner }

// nameOf returns the name of the mailbox that a physical ID stands for: the ID
// itself, unless that names nothing.
func nameOf(r cfnresource.Request, physicalID string, p Props) string {
	if namesNothing(r, physicalID) {
		return oldName(p)
	}
	return physicalID
}

// goesBack reports whether an Update with IdentityChanged is the rollback of one that was refused.
// Where the ID names nothing, the properties may name another's mailbox: only the stack knows then.
func goesBack(ctx context.Context, req *cfnresource.UpdateRequest[Props], name string) bool {
	if name != req.PhysicalID {
		return req.Phase(ctx) == lifecycle.PhaseUpdateRollback
	}
	return name == oldName(req.Properties)
}

// namesNothing reports whether an ID is the logical ID, which programs answer that need none, or one
// with which a library answers for a handler that returned none: aws-lambda-go with the RequestId
// or, in older versions, the name of the log stream, crhelper with STACK_LOGICAL_RANDOM. The StableID
// has none of these forms.
func namesNothing(r cfnresource.Request, physicalID string) bool {
	return physicalID == r.LogicalID || requestID.MatchString(physicalID) || logStream.MatchString(physicalID) ||
		strings.HasPrefix(physicalID, r.StackID.StackName()+"_"+r.LogicalID+"_")
}

var (
	requestID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	logStream = regexp.MustCompile(`^\d{4}/\d{2}/\d{2}/\[`)
)
