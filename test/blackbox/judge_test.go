package blackbox

import (
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/judge"
)

// read is CloudFormation's side of an answer: it returns the answer that stands in
// the bucket, and everything that CloudFormation would refuse, or could misread,
// about it and about those that came after it.
func read(d *delivery, bodies []string) (a judge.Response, faults []string) {
	for i, other := range bodies[1:] {
		if other != bodies[0] {
			faults = append(faults, fmt.Sprintf("answer %d differs from the first: %s", i+2, other))
		}
	}
	a, err := judge.Read(judge.Request{
		RequestType: d.request, StackID: d.stackID, RequestID: d.id, LogicalResourceID: d.logical, PhysicalResourceID: d.physical,
	}, []byte(bodies[0]))
	if err != nil {
		faults = append(faults, strings.Split(err.Error(), "\n")...)
	}
	return a, faults
}

// changed says whether an answer's ID makes CloudFormation take the resource
// for another one, which it then deletes, or refuses the answer.
func changed(d *delivery, a judge.Response, replaces bool) bool {
	return d.request != "Create" && !replaces && a.PhysicalResourceID != d.physical
}
