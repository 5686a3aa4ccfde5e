package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// endpoint is what the provider's process has in AWS_ENDPOINT_URL_LAMBDA.
func endpoint(b *bench) string {
	b.t.Helper()
	b.call(`{}`)
	b.Host.mu.Lock()
	defer b.Host.mu.Unlock()
	for _, variable := range b.functions[prefix+"provider"].idle[0].cmd.Env {
		if value, ok := strings.CutPrefix(variable, "AWS_ENDPOINT_URL_LAMBDA="); ok {
			return value
		}
	}
	b.t.Fatal("the process has no endpoint")
	return ""
}

// An answered is what a process's API has answered.
type answered struct {
	*http.Response
	text string
}

// post calls Invoke. headers are in pairs.
func post(t *testing.T, endpoint, path, body string, headers ...string) answered {
	t.Helper()
	return send(t, http.MethodPost, endpoint+"/2015-03-31/functions/"+path, body, headers...)
}

func send(t *testing.T, method, url, body string, headers ...string) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Close = true // the next server may get the port of one that has ended
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answered{resp, string(bytes.TrimSpace(text))}
}

const asEvent, invocationType = "Event", "X-Amz-Invocation-Type"

// TestInvokeNames: a function is named as Lambda's API takes it, and told the ARN
// with the qualifier that it was named by.
func TestInvokeNames(t *testing.T) {
	b := start(t, Config{}, Function{})
	b.add("provider:live", Function{})
	b.add("provider:$LATEST", Function{})
	b.add("like-region-1:live", Function{})
	at := endpoint(b)
	for path, want := range map[string]string{
		"provider/invocations":                                                  "provider",
		"provider/invocations?Qualifier=live":                                   "provider:live",
		"provider:live/invocations":                                             "provider:live",
		"provider:live/invocations?Qualifier=live":                              "provider:live",
		"provider/invocations?Qualifier=%24LATEST":                              "provider:$LATEST",
		"like-region-1:live/invocations":                                        "like-region-1:live",
		"123456789012:function:provider/invocations":                            "provider",
		"us-west-2:123456789012:function:provider:live/invocations":             "provider:live",
		url.PathEscape(prefix+"provider") + "/invocations":                      "provider",
		strings.ReplaceAll(prefix+"provider:live", ":", "%3A") + "/invocations": "provider:live",
	} {
		r := post(t, at, path, `{"Do":"context"}`)
		if r.StatusCode != http.StatusOK || !strings.Contains(r.text, `"arn":"`+prefix+want+`"`) || r.Header.Get("X-Amz-Executed-Version") != "$LATEST" {
			t.Errorf("%s: %s %s, want %s", path, r.Status, r.text, want)
		}
	}
}

// TestInvokeRefuses: what cannot be invoked is refused with Lambda's codes, which
// are all that a client may go by, and nothing runs.
func TestInvokeRefuses(t *testing.T) {
	b := start(t, Config{BeforeInvoke: func(arn string) error {
		if strings.HasSuffix(arn, ":broken") {
			return errors.New("it has no program")
		}
		return nil
	}}, Function{})
	at := endpoint(b)
	long := `"` + strings.Repeat("x", maxPayload) + `"`
	for _, test := range []struct {
		name, path, body, kind string
		status                 int
		code, message          string
	}{
		{"no such function", "nobody/invocations", "{}", "", 404, "ResourceNotFoundException", "Function not found: " + prefix + "nobody"},
		{"no such function, as an event", "nobody/invocations", "{}", asEvent, 404, "ResourceNotFoundException", "Function not found: " + prefix + "nobody"},
		{"another account's", "999999999999:function:provider/invocations", "{}", "", 404, "ResourceNotFoundException", ":999999999999:"},
		{"no name", "a%20b/invocations", "{}", "", 400, "ValidationException", "functionName"},
		{"no qualifier", "provider/invocations?Qualifier=a%20b", "{}", "", 400, "ValidationException", "qualifier"},
		{"two qualifiers", "provider:live/invocations?Qualifier=7", "{}", "", 400, "InvalidParameterValueException", "does not match"},
		{"another type", "provider/invocations", "{}", "Later", 400, "ValidationException", "[Event, RequestResponse, DryRun]"},
		{"no JSON", "provider/invocations", "{secret", asEvent, 400, "InvalidRequestContentException", "Could not parse request body into json"},
		{"a large event", "provider/invocations", long, asEvent, 413, "RequestEntityTooLargeException", "1048576"},
		{"a larger request", "provider/invocations", strings.Repeat(" ", maxSyncPayload+1), "", 413, "RequestEntityTooLargeException", "6291456"},
		{"what cannot run", "broken/invocations", "{}", asEvent, 500, "ServiceException", "it has no program"},
	} {
		r := post(t, at, test.path, test.body, invocationType, test.kind)
		if r.StatusCode != test.status || r.Header.Get("X-Amzn-Errortype") != test.code || !strings.Contains(r.text, test.message) || strings.Contains(r.text, "secret") {
			t.Errorf("%s: %s, %s: %.300s", test.name, r.Status, r.Header.Get("X-Amzn-Errortype"), r.text)
		}
	}
	b.settle()
	if b.count(Invoked) != 1 {
		t.Errorf("%d invocations, want endpoint's alone", b.count(Invoked))
	}
}

// TestInvokeEvent: an event of a function goes the way of all others: into the
// queue, with its faults and retries, and to the destination at last.
func TestInvokeEvent(t *testing.T) {
	var payloads []string
	b := start(t, Config{Faults: func(payload []byte) []Fault {
		payloads = append(payloads, string(payload))
		return []Fault{DieBefore}
	}}, Function{MaximumRetryAttempts: 2, OnFailure: prefix + "failures"})
	b.add("failures", Function{})
	r := post(t, endpoint(b), "provider/invocations", `{"Do":"error"}`, invocationType, asEvent)
	id := r.Header.Get("X-Amzn-Requestid")
	if r.StatusCode != http.StatusAccepted || r.text != "" {
		t.Errorf("%s %q, want 202 and nothing", r.Status, r.text)
	}
	b.settle()
	const want = "Sent Invoked Crashed Retrying Started Invoked Errored Retrying Invoked Errored Recorded"
	if got := b.story(id); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(payloads) != 1 || payloads[0] != `{"Do":"error"}` {
		t.Errorf("faults were asked for %q", payloads)
	}
}

// TestInvokeResponses: who waits gets what came of it, and is not told by the
// status that the function failed.
func TestInvokeResponses(t *testing.T) {
	b := start(t, Config{}, Function{})
	b.add("worker", Function{})
	at := endpoint(b)
	for _, test := range []struct{ body, kind, failed, text string }{
		{`{"Do":"it"}`, "RequestResponse", "", `{"done":"it"}`},
		{``, "", "", `{"done":""}`},
		{`{"Do":"error"}`, "", "Unhandled", `"errorMessage":"it is wrong"`},
		{`{"Do":"exit"}`, "", "Unhandled", `Runtime.ExitError`},
	} {
		r := post(t, at, "worker/invocations", test.body, invocationType, test.kind)
		if r.StatusCode != http.StatusOK || r.Header.Get("X-Amz-Function-Error") != test.failed || !strings.Contains(r.text, test.text) {
			t.Errorf("%s: %s, %q, %s", test.body, r.Status, r.Header.Get("X-Amz-Function-Error"), r.text)
		}
		if id := r.Header.Get("X-Amzn-Requestid"); !strings.Contains(b.story(id), "Invoked") {
			t.Errorf("%s: the request ID %q is of no invocation", test.body, id)
		}
	}
	before := b.count(Invoked)
	if r := post(t, at, "worker/invocations", "{}", invocationType, "DryRun"); r.StatusCode != http.StatusNoContent || b.count(Invoked) != before {
		t.Errorf("a dry run: %s, %d invocations", r.Status, b.count(Invoked))
	}
}

// TestInvokeSeesTheFunctionOfNow: what is invoked is looked up as it is then, so that a
// function that the host has not run yet can be invoked by another.
func TestInvokeSeesTheFunctionOfNow(t *testing.T) {
	var b *bench
	b = start(t, Config{BeforeInvoke: func(arn string) error {
		if arn == prefix+"worker:live" {
			b.add("worker:live", Function{})
			return nil
		}
		return &NotFoundError{arn}
	}}, Function{})
	at := endpoint(b)
	if r := post(t, at, "worker:live/invocations", `{"Do":"it"}`); r.StatusCode != http.StatusOK {
		t.Errorf("%s %s", r.Status, r.text)
	}
	if r := post(t, at, "provider/invocations", `{}`); r.StatusCode != http.StatusNotFound {
		t.Errorf("a function that is deployed no more: %s %s", r.Status, r.text)
	}
}

// TestChainEnds: Lambda ends a chain of sixteen invocations of one function, which it knows by the
// header that the AWS SDKs hand on. Who waits is refused; an event goes to the destination.
func TestChainEnds(t *testing.T) {
	b := start(t, Config{}, Function{OnFailure: prefix + "failures"})
	b.add("failures", Function{})
	b.add("other", Function{})
	b.add("free", Function{Recursive: true})
	at := endpoint(b)
	next := func(name, trace string, headers ...string) (answered, string) {
		r := post(t, at, name+"/invocations", `{"Do":"context"}`, append(headers, "X-Amzn-Trace-Id", strings.ReplaceAll(trace, "|", "%7C"))...)
		if r.StatusCode != http.StatusOK {
			return r, ""
		}
		return r, decode[struct{ Trace string }](t, []byte(r.text)).Trace
	}
	// Sixteen are one chain, with another function on the way.
	trace := decode[struct{ Trace string }](t, b.call(`{"Do":"context"}`).Payload).Trace
	root, _, _ := strings.Cut(trace, ";")
	for i := 2; i <= maxChain; i++ {
		var r answered
		if r, trace = next("provider", trace); r.StatusCode != http.StatusOK {
			t.Fatalf("invocation %d: %s %s", i, r.Status, r.text)
		}
		if i == 3 { // another function on the way has a count of its own
			_, trace = next("other", trace)
		}
	}
	if !strings.HasPrefix(trace, root+";") {
		t.Errorf("the trace %s is not that of %s", trace, root)
	}
	// The next is one too many.
	if r, _ := next("provider", trace); r.StatusCode != http.StatusBadRequest || r.Header.Get("X-Amzn-Errortype") != "RecursiveInvocationException" {
		t.Errorf("one too many: %s %s", r.Status, r.text)
	}
	r, _ := next("provider", trace, invocationType, asEvent)
	b.settle()
	if got := b.story(r.Header.Get("X-Amzn-Requestid")); r.StatusCode != http.StatusAccepted || got != "Sent Looped Recorded" {
		t.Errorf("one too many, as an event: %s, %s", r.Status, got)
	}
	// What is not in the chain, or may recurse, goes on.
	if r, _ := next("provider", ""); r.StatusCode != http.StatusOK {
		t.Errorf("without the header, which begins a chain: %s", r.Status)
	}
	for range maxChain + 1 {
		if r, trace = next("free", trace); r.StatusCode != http.StatusOK {
			t.Fatalf("a function whose RecursiveLoop is Allow: %s %s", r.Status, r.text)
		}
	}
}

// TestCallerDoesNotWait: a function that was invoked goes on when its caller has gone.
func TestCallerDoesNotWait(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{})
	b.add("slow", Function{Env: g.env()})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(b)+"/2015-03-31/functions/slow/invocations", strings.NewReader(`{"Do":"gate"}`))
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		gone <- err
	}()
	v := g.next()
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	v.letGo()
	b.settle()
	if last := b.events[len(b.events)-1]; last.Kind != Succeeded {
		t.Errorf("it ended with %+v", last)
	}
}

// FuzzReadChain: whatever a function sends as X-Ray's header, the chain goes on or
// begins, and what is handed on stays short.
func FuzzReadChain(f *testing.F) {
	for _, seed := range []string{
		"", "Root=1-6736a5ff-25b8e80625995fc3195d1db8;Parent=1cd4b7ac54511616;Sampled=0;Lineage=1:01bc76f7:0",
		"Root=1-64ff80a6-632b58284837d71d7c99be29;Sampled=0;Lineage=aae260cf:0%7C74085691:3", "Lineage=1:a:-1|:|b:99999999999999999999|c:65535", "Root=x;%zz",
		"Lineage=" + strings.Repeat("a:1|", 10000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		c := readChain(header)
		n := c.count(prefix + "f")
		again := readChain(c.header(prefix + "f"))
		if n < 1 || again.count(prefix+"f") != n+1 || again.count(prefix+"f:live") != n+1 || again.root != c.root || len(again.lineage) > maxAncestors {
			t.Errorf("%q is handed on as %q", header, c.header(prefix+"f"))
		}
	})
}
