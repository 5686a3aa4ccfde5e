package cfnresource

import "testing"

// A result without a cause has no code: the rules themselves refused the event.
func TestCodeOfAResult(t *testing.T) {
	var r result
	if code := r.code(); code != "" {
		t.Errorf("the code is %q", code)
	}
	r.cause = failed(CodeThrottling, "slow down")
	if code := r.code(); code != CodeThrottling {
		t.Errorf("the code is %q", code)
	}
}
