package hint

import (
	"fmt"
	"regexp"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// status matches those statuses of HTTP on whose code the dispatcher acts.
var status = regexp.MustCompile(`\b(404|409|429|5\d\d)\b`)

// Code returns a hint about an error that has a status of HTTP in its text and no code, or
// "". It says no more of the text.
func Code(calls []simulate.Call) string {
	for _, c := range calls {
		if found := status.FindString(c.Error); found != "" && c.Code == "" {
			return fmt.Sprintf("%s fails with a text that has %s in it and with no code, so nothing is known of the failure: "+
				"if that is a status of HTTP, wrap the error in cfnresource.HTTPStatus: docs/recipes.md#throttling-and-conflicts", c.Method, found)
		}
	}
	return ""
}
