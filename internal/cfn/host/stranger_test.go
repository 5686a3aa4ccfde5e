package host

import (
	"net/http"
	"strings"
	"testing"
)

// TestStrangersGetNoEvent: a page of another site that finds a process's Runtime
// API gets nothing, nor does it answer.
func TestStrangersGetNoEvent(t *testing.T) {
	b := start(t, Config{}, Function{})
	b.call(`{}`)
	p := b.warm(b.lookup(prefix + "provider"))
	if p == nil {
		t.Fatal("there is no process")
	}
	address := ""
	for _, variable := range p.cmd.Env {
		if value, ok := strings.CutPrefix(variable, "AWS_LAMBDA_RUNTIME_API="); ok {
			address = value
		}
	}
	for path, method := range map[string]string{"invocation/next": http.MethodGet, "invocation/1/response": http.MethodPost, "init/error": http.MethodPost} {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+"/2018-06-01/runtime/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", "https://attacker.example")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}
