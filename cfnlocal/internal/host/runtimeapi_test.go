package host

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A runtime that does what it should not, and bodies that are no JSON.
func TestRuntimeAPI(t *testing.T) {
	p := &process{host: &Host{load: func() int { return 1 }}, work: make(chan *invocation)}
	server := httptest.NewServer(p.runtimeAPI())
	defer server.Close()
	send := func(method, path, body string) (int, string) {
		t.Helper()
		r := send(t, method, server.URL+"/2018-06-01/runtime/"+path, body)
		return r.StatusCode, r.text
	}
	// One invocation at a time, and one answer to each.
	for _, test := range []struct {
		name, id, path, body string
		status               int
		kind                 Kind
		payload              string
	}{
		{"a response", "1", "invocation/1/response", `{"a":1}`, 202, Succeeded, `{"a":1}`},
		{"a response that is no JSON", "2", "invocation/2/response", `plain`, 202, Succeeded, `"plain"`},
		{"a response of nothing", "3", "invocation/3/response", ``, 202, Succeeded, `null`},
		{"an error", "4", "invocation/4/error", `{"errorType":"E"}`, 202, Errored, `{"errorType":"E"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			inv := &invocation{id: test.id, arn: "arn", payload: []byte(`{"n":1}`), timeout: time.Minute,
				invoked: func(*process) {}, taken: make(chan struct{}), done: make(chan outcome, 1)}
			go func() { p.work <- inv }()
			if status, body := send("GET", "invocation/next", ""); status != 200 || body != `{"n":1}` {
				t.Fatalf("next gives %d %s", status, body)
			}
			if status, body := send("GET", "invocation/next", ""); status != 403 || !strings.Contains(body, "InvalidStateTransition") {
				t.Errorf("another one before the answer gives %d %s", status, body)
			}
			if status, body := send("POST", "invocation/other/response", "{}"); status != 400 || !strings.Contains(body, "InvalidRequestID") {
				t.Errorf("the answer to another one gives %d %s", status, body)
			}
			if status, body := send("POST", test.path, test.body); status != test.status {
				t.Fatalf("the answer gives %d %s", status, body)
			}
			if got := <-inv.done; got.kind != test.kind || string(got.payload) != test.payload {
				t.Errorf("the outcome is %s %s", got.kind, got.payload)
			}
			if status, _ := send("POST", test.path, test.body); status != 400 {
				t.Errorf("a second answer gives %d", status)
			}
		})
	}
	// What is of no invocation.
	if status, _ := send("POST", "init/error", `{"errorType":"E"}`); status != 202 || string(p.initErr) != `{"errorType":"E"}` {
		t.Errorf("an init error gives %d, kept is %s", status, p.initErr)
	}
	if status, _ := send("GET", "invocation/else", ""); status != 404 {
		t.Errorf("an unknown path gives %d", status)
	}
}

// What is said of an error is short and never a payload of another form.
func TestOutcomeText(t *testing.T) {
	for _, test := range []struct{ payload, want string }{
		{`{"errorType":"E","errorMessage":"m"}`, "E: m"},
		{`{"errorMessage":"m"}`, "m"},
		{`{}`, ""},
		{`"text"`, "an error of another form than a runtime's"},
		{`{"errorMessage":"` + strings.Repeat("ä", 600) + `"}`, strings.Repeat("ä", 500) + "…"},
	} {
		if got := (outcome{kind: Errored, payload: []byte(test.payload)}).text(); got != test.want {
			t.Errorf("%.50s: %q, want %q", test.payload, got, test.want)
		}
	}
}

// A runtime that says why it cannot start is quoted.
func TestInitError(t *testing.T) {
	p := &process{exited: make(chan struct{}), initErr: []byte(`{"errorType":"Runtime.ImportModuleError","errorMessage":"no index.js"}`)}
	close(p.exited)
	if o := p.initFailure(&invocation{id: "1"}); o.kind != InitFailed || o.text() != "Runtime.ImportModuleError: no index.js" {
		t.Errorf("the outcome is %s %s", o.kind, o.payload)
	}
}

// Runtimes send what X-Ray is told of an error as a header of up to 1 MiB.
func TestLongCauseOfAnError(t *testing.T) {
	b := start(t, Config{}, Function{})
	r := send(t, http.MethodPost, endpoint(b)+"/2018-06-01/runtime/init/error", "{}", "Lambda-Runtime-Function-Xray-Error-Cause", strings.Repeat("x", 1<<20-1))
	if r.StatusCode != http.StatusAccepted {
		t.Error(r.Status)
	}
}
