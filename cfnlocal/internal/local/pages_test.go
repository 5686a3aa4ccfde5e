package local

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// pagesOf serves a home with a stack called shop.
func pagesOf(t *testing.T) (*Home, *api.Server) {
	t.Helper()
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	server, err := h.Serve("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return h, server
}

// answered is how a server has answered, but for the body.
type answered struct {
	StatusCode int
	Header     http.Header
}

// get asks for a page, with headers in pairs.
func get(t *testing.T, url string, headers ...string) (answered, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Header}, string(body)
}

// A browser sees the stacks and each of them, without secrets; what names an action
// is the API's, at the same address.
func TestPages(t *testing.T) {
	_, server := pagesOf(t)
	for _, test := range []struct {
		path   string
		status int
		shows  string
	}{
		{"/", 200, `<a href="/stacks/shop">shop</a>`},
		{"/stacks/shop", 200, "CREATE_COMPLETE"},
		{"/stacks/other", 404, "There is no stack"},
		{"/stacks/con", 404, "Not found"},
		{"/stacks/..%2f..%2fetc", 404, ""},
		{"/elsewhere", 404, "no such page"},
		{"/?Action=ListStacks&Version=2010-05-15", 200, "<ListStacksResponse"},
		{"/?Action=DescribeStacks&Version=2010-05-15&StackName=other", 400, "<Code>ValidationError</Code>"},
	} {
		resp, body := get(t, server.Origin()+test.path)
		if resp.StatusCode != test.status || !strings.Contains(body, test.shows) || strings.Contains(body, "sesame") {
			t.Errorf("%s: %d %s", test.path, resp.StatusCode, body)
		}
		isPage := !strings.Contains(test.path, "Action")
		if policy := resp.Header.Get("Content-Security-Policy"); isPage && (!strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") || resp.Header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: %v", test.path, resp.Header)
		}
	}
}

// The list marks the stacks that have left something behind.
func TestListMarksLeftResources(t *testing.T) {
	h, server := pagesOf(t)
	if _, body := get(t, server.Origin()); strings.Contains(body, "left behind") {
		t.Errorf("nothing is left, and the list says %s", body)
	}
	r := kept(t, h)
	r.Stack.Left = append(r.Stack.Left, engine.Left{LogicalID: "A", PhysicalID: "a-1", Type: "Custom::Thing"})
	keep(t, h, r)
	if _, body := get(t, server.Origin()); !strings.Contains(body, "left behind: 1") {
		t.Errorf("one thing is left, and the list says %s", body)
	}
}

// A stack whose file is damaged is not one that is not there.
func TestPageOfDamage(t *testing.T) {
	h, server := pagesOf(t)
	if err := os.WriteFile(h.dir.Path("shop.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if resp, body := get(t, server.Origin()+"/stacks/shop"); resp.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "shop.json is damaged") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// Strangers see nothing of the pages and of the API. Package loopback has a table of who is one.
func TestStrangersAreRefused(t *testing.T) {
	_, server := pagesOf(t)
	for _, path := range []string{"/", "/stacks/shop", "/?Action=ListStacks&Version=2010-05-15"} {
		if resp, body := get(t, server.Origin()+path, "Origin", "https://attacker.example"); resp.StatusCode != http.StatusForbidden || strings.Contains(body, "shop") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}

// Who follows a page gets it once, and again when something has happened.
func TestPagesAreFollowed(t *testing.T) {
	h, server := pagesOf(t)
	url := server.Origin() + "/stacks/shop"
	first, _ := get(t, url)
	tag := first.Header.Get("ETag")
	if again, body := get(t, url, "If-None-Match", tag); again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("unchanged: %d %s", again.StatusCode, body)
	}
	deployTopics(t, h, "shop", topics, "two")
	if changed, body := get(t, url, "If-None-Match", tag); changed.StatusCode != http.StatusOK || !strings.Contains(body, "UPDATE_COMPLETE") {
		t.Errorf("changed: %d", changed.StatusCode)
	}
}

// Who has a page is told so without it being made again: what that takes does not grow
// with what handlers logged. A line more makes another page.
func TestPagesAreCached(t *testing.T) {
	h, _ := pagesOf(t)
	handler := showPages(h)
	id := kept(t, h).Stack.ID
	ask := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/stacks/shop", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	tag := ""
	cost := func(lines int) float64 {
		trace, err := h.openTrace("shop", id, false)
		if err != nil {
			t.Fatal(err)
		}
		for range lines {
			trace.note(engine.Note{At: time.Unix(1, 0), Kind: engine.NoteTold, Text: "a line"})
		}
		_ = trace.file.Close()
		changed := ask(tag)
		if changed.Code != http.StatusOK {
			t.Errorf("%d lines more: %d", lines, changed.Code)
		}
		tag = changed.Header().Get("ETag")
		return testing.AllocsPerRun(10, func() {
			if w := ask(tag); w.Code != http.StatusNotModified || w.Header().Get("ETag") != tag {
				t.Errorf("unchanged: %d", w.Code)
			}
		})
	}
	if few, many := cost(1), cost(1000); many > few+10 {
		t.Errorf("%v allocations after 1000 lines, %v after one", many, few)
	}
}

// What happened beside the rows is that of the stack that there is, whatever became
// of the file: one that cannot be read whole shows what can be.
func TestTrace(t *testing.T) {
	h, _ := pagesOf(t)
	write := func(stackID string, begins bool, texts ...string) {
		t.Helper()
		trace, err := h.openTrace("shop", stackID, begins)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			trace.note(engine.Note{At: time.Unix(1, 0), Kind: engine.NoteTold, Text: text})
		}
		_ = trace.file.Close()
	}
	read := func(stackID string) (texts string) {
		t.Helper()
		notes, err := h.readTrace("shop", stackID)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range notes {
			texts += n.Text + " "
		}
		return texts
	}
	write("a", true, "one")
	write("a", false, "two")
	write("b", false, "three")
	file := h.dir.Path("shop" + traceExt)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"StackID": "a", "Te`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if got := read("a"); got != "one two " {
		t.Errorf("%q", got)
	}
	write("c", true, "four")
	if got := read("a") + read("c"); got != "four " {
		t.Errorf("%q after another stack began", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}

	trace, err := h.openTrace("shop", "d", true)
	if err != nil {
		t.Fatal(err)
	}
	trace.room = 200
	for range 10 {
		trace.note(engine.Note{At: time.Unix(1, 0), Text: strings.Repeat("x", 90)})
	}
	_ = trace.file.Close()
	if n := len(strings.Fields(read("d"))); n != 1 {
		t.Errorf("%d notes where there is room for one", n)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := read("d"); got != "" {
		t.Errorf("%q in no file", got)
	}
}

// The request that an event is about is found in each form in which a function gets it.
func TestRequestOf(t *testing.T) {
	const id = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
	q := &engine.Request{RequestID: id, Properties: `{"RequestId":"11111111-1111-1111-1111-111111111111"}`}
	event := string(q.Event("https://hidden"))
	for _, payload := range []string{
		event,
		`{"requestContext":{"requestId":"22222222-2222-2222-2222-222222222222"},"requestPayload":` + event + `}`,
		string((&engine.Request{RequestID: id, Calls: 1, Properties: q.Properties}).Event("")),
		`{"Records":[{"Sns":{"Message":` + quoted(event) + `}}]}`,
		`{"Records":[{"Sns":{"Message":` + quoted(quoted(event)) + `}}]}`,
	} {
		if got := requestOf([]byte(payload)); got != id {
			t.Errorf("%q in %s", got, payload)
		}
	}
	if got := requestOf([]byte(`{"RequestId": "no ID"}`)); got != "" {
		t.Errorf("%q", got)
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// TestPageHidesTheLinesOfASecret: a handler's log is kept line by line, and a key has
// several lines.
func TestPageHidesTheLinesOfASecret(t *testing.T) {
	h, _ := pagesOf(t)
	record := kept(t, h)
	record.Former = append(record.Former, "-----BEGIN KEY-----\r\nc2VzYW1lb3Blbg\r\n-----END KEY-----\r\n")
	story, err := h.story(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"c2VzYW1lb3Blbg", "key: c2VzYW1lb3Blbg", `{"msg":"c2VzYW1lb3Blbg"}`} {
		if got := string(story.Hide([]byte(line))); strings.Contains(got, "c2Vz") {
			t.Errorf("%s is shown as %s", line, got)
		}
	}
}
