package history

import (
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Abandoned returns the name of a method that had not returned when its event was answered, or "".
func Abandoned(r simulate.Request) string {
	for _, c := range r.Calls() {
		if c.Abandoned {
			return c.Method
		}
	}
	return ""
}

// Stuck reports whether a stack needs an operator before it can be updated again.
func Stuck(status string) bool {
	return status == "UPDATE_ROLLBACK_FAILED" || status == "ROLLBACK_FAILED" || status == "DELETE_FAILED"
}

// Failure says what became of a request that did not succeed.
func Failure(r simulate.Request) string {
	if r.Outcome == string(engine.TimedOut) {
		return "was not answered"
	}
	return "did not succeed: " + r.Reason
}

// Cured reports whether a fault is none to CloudFormation: Lambda's next try, or the
// next invocation, does what was not done.
func Cured(k simulate.FaultKind) bool {
	switch k.End() {
	case simulate.EndsWell, simulate.EndsFound, simulate.EndsCancelled:
		return true
	}
	return false
}

// CreateOverwrites reports whether Create succeeded twice, though its thing existed
// the second time, and did not call Created. This is right if the service creates and
// updates by PUT and cannot be asked what exists. Such a Create does not know what it
// has made, so what it leaves when it fails counts as a limit.
func CreateOverwrites(calls []simulate.Call) bool {
	creates := 0
	for _, c := range calls {
		switch {
		case c.Method != "Create":
		case c.Error != "" || c.Created != "":
			return false
		default:
			creates++
		}
	}
	return creates > 1
}
