package cfnresource

import "testing"

// A result without a cause has no code, and one without a report logs nothing: an
// event that cannot be handled at all has neither.
func TestEmptyResult(t *testing.T) {
	var r result
	if code := r.code(); code != "" {
		t.Errorf("the code is %q", code)
	}
	r.log()() // must not panic

	r.cause = failed(CodeThrottling, "slow down")
	waited := false
	r.report = func() func() { return func() { waited = true } }
	if r.log()(); !waited || r.code() != CodeThrottling {
		t.Errorf("waited for the log: %t, code %q", waited, r.code())
	}
}
