package cfnresource

import "log/slog"

// A result is what an event has come to so far.
type result struct {
	body    []byte   // of SUCCESS, with the Data of the last call; nil if there is none
	cause   *failure // of a FAILED answer; nil if the rules themselves refused
	ignored *failure // of a Delete, where the event succeeds nevertheless
	err     error    // of the invocation, if another one may answer the event
	report  report
}

// A report is the record of how an event ended. It has no message if there is none.
type report struct {
	level   slog.Level
	message string
	attrs   []slog.Attr
}

// code returns the code of the failure, or "".
func (r *result) code() Code {
	if r.cause == nil {
		return ""
	}
	return r.cause.code
}
