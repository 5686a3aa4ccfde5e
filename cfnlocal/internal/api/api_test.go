package api

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// stacks are a Reader.
type stacks map[string]*Stack

func (s stacks) Names() (names []string, err error) {
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (s stacks) Stack(name string) (*Stack, error) { return s[name], nil }

// form are a request's parameters, in pairs.
func form(pairs ...string) url.Values {
	values := url.Values{"Version": {version}}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

// ask sends a POST as AWS's clients do.
func ask(source Reader, values url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:4566/", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	return serve(source, r)
}

func serve(source Reader, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	newHandler(source, nil).ServeHTTP(w, r)
	return w
}

// refused is what a client reads of a refusal: "CODE: MESSAGE", or "" if there was none.
func refused(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Code == http.StatusOK {
		return ""
	}
	var e struct {
		XMLName   xml.Name `xml:"http://cloudformation.amazonaws.com/doc/2010-05-15/ ErrorResponse"`
		Error     struct{ Type, Code, Message string }
		RequestId string
	}
	if err := xml.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	if e.RequestId == "" || e.Error.Type != "Sender" && w.Code < 500 {
		t.Errorf("a refusal without a RequestId, or of another type: %s", w.Body)
	}
	return e.Error.Code + ": " + e.Error.Message
}

// A world plays one stack, in virtual time. The handler's physical IDs are what
// the property Id says; it fails requests of the type that Fail names.
type world struct {
	t      *testing.T
	player *enginetest.Player
	asked  func(r *engine.Request) // by each request, before it is answered
}

func newWorld(t *testing.T, name string) *world {
	w := &world{t: t}
	w.player = &enginetest.Player{Machine: engine.New(name, engine.Options{Seed: 1}), Now: start, Handler: w.answer}
	return w
}

func (w *world) answer(r *engine.Request) []byte {
	if w.asked != nil {
		w.asked(r)
	}
	p := r.Properties.Map()
	answer := map[string]any{"Status": "SUCCESS", "PhysicalResourceId": p["Id"], "StackId": r.StackID, "RequestId": r.RequestID, "LogicalResourceId": r.LogicalID}
	if r.RequestType == "Delete" {
		answer["PhysicalResourceId"] = r.PhysicalID
	}
	if p["Fail"] == r.RequestType {
		answer["Status"], answer["Reason"] = "FAILED", "as <it> says & does"
	}
	body, err := json.Marshal(answer)
	if err != nil {
		w.t.Fatal(err)
	}
	return body
}

func (w *world) run(step func(m *engine.Machine, now time.Time) error) {
	w.t.Helper()
	if err := step(w.player.Machine, w.player.Now); err != nil {
		w.t.Fatal(err)
	}
	if err := w.player.Drain(); err != nil {
		w.t.Fatal(err)
	}
}

// deploy creates or updates the stack.
func (w *world) deploy(resources ...engine.Resource) {
	w.t.Helper()
	w.run(func(m *engine.Machine, now time.Time) error {
		d := engine.Deployment{Template: &engine.Template{Resources: resources}}
		if m.Stack().Status == "" {
			return m.Create(now, d)
		}
		return m.Update(now, d)
	})
}

// source is the stack as it is now.
func (w *world) source() stacks {
	s := w.player.Machine.Stack()
	return stacks{s.Name: {Stack: s, Description: "a shop", Parameters: []Parameter{{"Token", "****", ""}}, Template: "Resources: {}\n"}}
}

// thing is a custom resource; properties are in pairs.
func thing(logicalID string, properties ...string) engine.Resource {
	all := map[string]any{"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:f"}
	for i := 0; i < len(properties); i += 2 {
		all[properties[i]] = properties[i+1]
	}
	return engine.Resource{LogicalID: logicalID, Type: "Custom::Thing", Properties: func(engine.Refs) (map[string]any, error) { return all, nil }}
}

// TestOnlyLoopback: no other address is listened on.
func TestOnlyLoopback(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "10.0.0.1:0", "192.0.2.1:80", "127.0.0.1", "127.0.0.1:x", ""} {
		if s, err := Start(address, stacks{}, nil, nil); err == nil {
			t.Errorf("%q is listened on", address)
			_ = s.Close()
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.1.2.3:0"} {
		s, err := Start(address, stacks{}, nil, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestServer: it answers until it is closed, and a port that is taken is an error that says so.
func TestServer(t *testing.T) {
	s, err := Start("127.0.0.1:0", stacks{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(strings.TrimPrefix(s.Origin(), "http://"), stacks{}, nil, nil); err == nil || !strings.Contains(err.Error(), "cannot be listened on") {
		t.Errorf("a second one: %v", err)
	}
	resp, err := http.Get(s.Origin() + "/?Action=ListStacks&Version=" + version)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.HasPrefix(string(body), `<ListStacksResponse xmlns="`+namespace+`">`) || resp.Header.Get("X-Amzn-Requestid") == "" {
		t.Errorf("%v: %s", err, body)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("a server that was closed: %v", err)
	}
	if resp, err := http.Get(s.Origin()); err == nil {
		_ = resp.Body.Close()
		t.Error("it answers after it was closed")
	}
}

var update = flag.Bool("update", false, "write testdata/answers.txtar")

var requestID = regexp.MustCompile(`<RequestId>[0-9a-f-]{36}</RequestId>`)

// TestAnswers: the documents, of each action and of a refusal, as they are sent.
func TestAnswers(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "one", "Secret", "<open & sesame>"))
	w.deploy(thing("A", "Id", "two", "Fail", "Update"))
	source := w.source()
	source["shop"].Outputs = []engine.StackOutput{{Name: "Out", Value: "1 < 2", Description: "d", ExportName: "e"}}
	source["shop"].Declared = []Declared{{ParameterKey: "Token", ParameterType: "String", NoEcho: true, Description: "a token"}}

	const file = "testdata/answers.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		f := &archive.Files[i]
		t.Run(f.Name, func(t *testing.T) {
			values := form()
			for pair := range strings.SplitSeq(f.Name, "&") {
				name, value, _ := strings.Cut(pair, "=")
				values.Set(name, value)
			}
			r := ask(source, values)
			if got := r.Header().Get("Content-Type"); got != "text/xml" {
				t.Errorf("Content-Type %q", got)
			}
			got := requestID.ReplaceAllString(r.Body.String(), "<RequestId/>")
			got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
			if *update {
				f.Data = []byte(got)
			}
			if diff := cmp.Diff(string(f.Data), got); diff != "" {
				t.Errorf("go test ./cfnlocal/internal/api -update rewrites it (-want +got):\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A time without one is left out, and any other is in UTC with milliseconds.
func TestTimes(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "one"))
	values := form("Action", "DescribeStacks", "StackName", "shop")
	if body := ask(w.source(), values).Body.String(); strings.Contains(body, "LastUpdatedTime") || strings.Contains(body, "DeletionTime") ||
		!strings.Contains(body, "<CreationTime>2026-05-01T12:00:00.000Z</CreationTime>") {
		t.Error(body)
	}
	w.deploy(thing("A", "Id", "two"))
	if body := ask(w.source(), values).Body.String(); !strings.Contains(body, "<LastUpdatedTime>2026-05-01T12:00:0") || strings.Contains(body, "DeletionTime") {
		t.Error(body)
	}
	w.run(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) })
	values.Set("StackName", w.player.Machine.Stack().ID)
	if body := ask(w.source(), values).Body.String(); !strings.Contains(body, "<DeletionTime>2026-05-01T12:00:") {
		t.Error(body)
	}
}
