package after

import (
	"regexp"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// oldName is what the program of before called a mailbox.
func oldName(p Props) string { return "mailbox-" + p.Owner }

// nameOf returns the name of the mailbox that a physical ID stands for: the ID
// itself, unless the old library made it up.
func nameOf(r cfnresource.Request, physicalID string, p Props) string {
	if madeUp(r, physicalID) {
		return oldName(p)
	}
	return physicalID
}

// madeUp reports whether an ID is one with which a library answers for a handler that returned
// none: aws-lambda-go with the RequestId or, in older versions, the name of the log stream,
// crhelper with STACK_LOGICAL_RANDOM. The StableID has none of these forms.
func madeUp(r cfnresource.Request, physicalID string) bool {
	return requestID.MatchString(physicalID) || logStream.MatchString(physicalID) ||
		strings.HasPrefix(physicalID, r.StackID.StackName()+"_"+r.LogicalID+"_")
}

var (
	requestID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	logStream = regexp.MustCompile(`^\d{4}/\d{2}/\d{2}/\[`)
)
