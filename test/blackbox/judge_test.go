package blackbox

import (
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/answercheck"
)

// readAnswer reads the first answer as CloudFormation does. It returns the answer, and what
// CloudFormation would refuse about it. A later answer that differs is a fault, too.
func readAnswer(d *delivery, bodies []string) (a answercheck.Response, faults []string) {
	for i, other := range bodies[1:] {
		if other != bodies[0] {
			faults = append(faults, fmt.Sprintf("answer %d differs from the first: %s", i+2, other))
		}
	}
	a, err := answercheck.Read(answercheck.Request{
		RequestType: d.request, StackID: d.stackID, RequestID: d.id, LogicalResourceID: d.logical, PhysicalResourceID: d.physical,
	}, []byte(bodies[0]))
	if err != nil {
		faults = append(faults, strings.Split(err.Error(), "\n")...)
	}
	return a, faults
}

// idChanged reports whether an answer changes the physical ID although it must not.
// CloudFormation would delete the resource with the old ID, or refuse the answer.
func idChanged(d *delivery, a answercheck.Response, replaces bool) bool {
	return d.request != "Create" && !replaces && a.PhysicalResourceID != d.physical
}
