package cfnresource

// A result is what an event has come to so far.
type result struct {
	body    []byte               // of SUCCESS, with the Data of the last call; nil if there is none
	cause   *failure             // of a FAILED answer; nil if the rules themselves refused
	ignored *failure             // of a Delete, where the event succeeds nevertheless
	err     error                // of the invocation, if another one may answer the event
	report  func() (wait func()) // begins to log how the event ended, or nil
}

// code returns the code of the failure, or "".
func (r *result) code() Code {
	if r.cause == nil {
		return ""
	}
	return r.cause.code
}

// log begins to log how the event ended, and returns a function that waits for it.
func (r *result) log() (wait func()) {
	if r.report == nil {
		return func() {}
	}
	return r.report()
}
