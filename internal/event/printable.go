package event

import "github.com/cfnresource/sdk-go/internal/redact"

// maxPrinted is how many bytes of a field are printed. CloudFormation's stack IDs have some 200.
const maxPrinted = 256

// Printable returns a field of an event as it may stand in a log, a Reason or an error: one line
// without control characters, so that it cannot begin a record of its own, and no longer than tells
// which it is. Answers repeat the field as it came.
func Printable(field string) string { return redact.OneLine(field, maxPrinted) }
