package query

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// stacks are a Source.
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
func ask(source Source, values url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:4566/", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	return serve(source, r)
}

func serve(source Source, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	NewHandler(source, nil).ServeHTTP(w, r)
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
