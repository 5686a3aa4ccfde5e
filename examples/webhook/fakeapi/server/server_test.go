package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type client struct {
	t   *testing.T
	api http.Handler
}

func newClient(t *testing.T) client {
	t.Helper()
	store, err := Open(filepath.Join(t.TempDir(), "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	return client{t, New(store, "")}
}

// do calls the API, and decodes its reply to out if the status is the wanted
// one.
func (c client) do(method, path, key, body string, want int, out any) {
	c.t.Helper()
	r := httptest.NewRequestWithContext(c.t.Context(), method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	c.api.ServeHTTP(w, r)
	if w.Code != want {
		c.t.Fatalf("%s %s: status %d, want %d: %s", method, path, w.Code, want, w.Body)
	}
	if out != nil {
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			c.t.Fatal(err)
		}
	}
}

func TestLifeOfAWebhook(t *testing.T) {
	c := newClient(t)
	var made, changed, got Webhook
	c.do("POST", "/webhooks", "", `{"url":"https://a","events":["x","y"],"tags":{"k":"v"}}`, http.StatusCreated, &made)
	want := Webhook{ID: "hook-1", URL: "https://a", Events: []string{"x", "y"}, Active: true, Tags: map[string]string{"k": "v"}}
	if diff := cmp.Diff(want, made, cmpopts.IgnoreFields(Webhook{}, "Secret")); diff != "" || made.Secret == "" {
		t.Errorf("POST made (-want +got):\n%s", diff)
	}

	// What is not given stays; tags add up; the ID and the secret are the API's.
	c.do("PATCH", "/webhooks/hook-1", "", `{"id":"mine","secret":"mine","active":false,"events":["z"],"tags":{"l":"w"}}`, http.StatusOK, &changed)
	want.Active, want.Events, want.Secret = false, []string{"z"}, made.Secret
	want.Tags = map[string]string{"k": "v", "l": "w"}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("PATCH (-want +got):\n%s", diff)
	}
	c.do("PATCH", "/webhooks/hook-1", "", `{"events":["n"],"tags":{"m":"x"},"url":"http://a"}`, http.StatusUnprocessableEntity, nil)
	c.do("GET", "/webhooks/hook-1", "", "", http.StatusOK, &got)
	if diff := cmp.Diff(changed, got); diff != "" {
		t.Errorf("GET after PATCH, and after one that was refused (-want +got):\n%s", diff)
	}

	c.do("DELETE", "/webhooks/hook-1", "", "", http.StatusOK, nil)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		c.do(method, "/webhooks/hook-1", "", "{}", http.StatusNotFound, nil)
	}
	c.do("POST", "/webhooks", "", `{"url":"https://a"}`, http.StatusCreated, &made)
	if made.ID != "hook-2" {
		t.Errorf("the ID %s was given before", made.ID)
	}
}

func TestOneIdempotencyKeyMakesOneWebhook(t *testing.T) {
	c := newClient(t)
	var first, second, third Webhook
	c.do("POST", "/webhooks", "k", `{"url":"https://a"}`, http.StatusCreated, &first)
	c.do("POST", "/webhooks", "k", `{"url":"https://a"}`, http.StatusCreated, &second)
	c.do("POST", "/webhooks", "", `{"url":"https://a"}`, http.StatusCreated, &third)
	if diff := cmp.Diff(first, second); diff != "" || third.ID == first.ID {
		t.Errorf("the second POST with one key made another (-first +second):\n%s", diff)
	}
}

func TestListByTag(t *testing.T) {
	c := newClient(t)
	for _, tags := range []string{`{"k":"v"}`, `{"k":"w"}`, `{}`, `{"k":""}`} {
		c.do("POST", "/webhooks", "", `{"url":"https://a","tags":`+tags+`}`, http.StatusCreated, nil)
	}
	for query, want := range map[string]int{"": 4, "?tag=k=v": 1, "?tag=k=": 1, "?tag=l=": 0, "?tag=k=x": 0} {
		var found []Webhook
		c.do("GET", "/webhooks"+query, "", "", http.StatusOK, &found)
		if len(found) != want {
			t.Errorf("GET /webhooks%s lists %d, want %d", query, len(found), want)
		}
	}
}

func TestWhatIsNotValidIsRefused(t *testing.T) {
	c := newClient(t)
	for _, body := range []string{``, `{`, `{"url":"http://a"}`, `{"url":"https://a","evnts":[]}`, `{"url":5}`, strings.Repeat(" ", 1<<17)} {
		c.do("POST", "/webhooks", "", body, http.StatusUnprocessableEntity, nil)
	}
	var found []Webhook
	if c.do("GET", "/webhooks", "", "", http.StatusOK, &found); len(found) != 0 {
		t.Errorf("made %v", found)
	}
}

func TestTheTokenIsAskedFor(t *testing.T) {
	c := newClient(t)
	c.api = New(new(Store), "secret")
	c.do("GET", "/webhooks", "", "", http.StatusUnauthorized, nil)
}

// A state that cannot be written is not the state: what was answered with an
// error has not happened.
func TestAChangeThatIsNotOnTheDiskHasNotHappened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	store, err := Open(filepath.Join(dir, "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := client{t, New(store, "")}
	c.do("POST", "/webhooks", "", `{"url":"https://a"}`, http.StatusInternalServerError, nil)
	if got := store.All(); len(got) != 0 {
		t.Errorf("there is %v", got)
	}
}

func TestTheFileIsReplacedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c := client{t, New(store, "")}
	for range 3 {
		c.do("POST", "/webhooks", "", `{"url":"https://a"}`, http.StatusCreated, nil)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want the state alone", entries, err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(store.All(), again.All()); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}

func TestAFileOfSomethingElseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(path, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "choose another file") {
		t.Errorf("Open returned %v", err)
	}
}
