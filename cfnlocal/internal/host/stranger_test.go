package host

import (
	"net/http"
	"testing"
)

// TestStrangersGetNoEvent: a page of another site that finds a process's Runtime
// API gets nothing, nor does it answer, nor does it invoke anything.
func TestStrangersGetNoEvent(t *testing.T) {
	b := start(t, Config{}, Function{})
	const runtime = "/2018-06-01/runtime/"
	for path, method := range map[string]string{runtime + "invocation/next": http.MethodGet, runtime + "invocation/1/response": http.MethodPost, runtime + "init/error": http.MethodPost,
		"/2015-03-31/functions/provider/invocations": http.MethodPost} {
		if r := send(t, method, endpoint(b)+path, "", "Origin", "https://attacker.example"); r.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
}
