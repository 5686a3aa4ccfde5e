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

func open(t *testing.T, path string) *Store {
	t.Helper()
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// call answers with the status and, in a list, with how many it shows.
func call(t *testing.T, store *Store, method, path, key, body string) (status, shown int) {
	t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer token")
	req.Header.Set("Idempotency-Key", key)
	reply := httptest.NewRecorder()
	New(store, "token").ServeHTTP(reply, req)
	var list []any
	_ = json.Unmarshal(reply.Body.Bytes(), &list) // others are no lists
	return reply.Code, len(list)
}

// Each request meets what the ones before it made.
func TestLifeOfAWebhook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	store := open(t, path)
	secret := func() string { return store.All()[0].Secret }
	for _, step := range []struct {
		method, path, key, body string
		want, shown             int
	}{
		{http.MethodPost, "/webhooks", "", ``, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/webhooks", "", `{"url":"http://a"}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/webhooks", "", `{"url":"https://a","evnts":[]}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/webhooks", "", strings.Repeat(" ", 1<<17), http.StatusUnprocessableEntity, 0},
		{http.MethodGet, "/webhooks", "", "", http.StatusOK, 0},
		{http.MethodPost, "/webhooks", "k", `{"url":"https://a","events":["x","y"],"tags":{"k":"v"}}`, http.StatusCreated, 0},
		{http.MethodPost, "/webhooks", "k", `{"url":"https://b"}`, http.StatusCreated, 0}, // by its key, the same
		{http.MethodPost, "/webhooks", "", `{"url":"https://a","tags":{"k":""}}`, http.StatusCreated, 0},
		{http.MethodGet, "/webhooks", "", "", http.StatusOK, 2},
		{http.MethodGet, "/webhooks?tag=k=v", "", "", http.StatusOK, 1},
		{http.MethodGet, "/webhooks?tag=k=", "", "", http.StatusOK, 1},
		{http.MethodGet, "/webhooks?tag=l=", "", "", http.StatusOK, 0},
		{http.MethodPatch, "/webhooks/hook-1", "", `{"id":"mine","secret":"mine","active":false,"events":["z"],"tags":{"l":"w"}}`, http.StatusOK, 0},
		{http.MethodPatch, "/webhooks/hook-1", "", `{"events":["n"],"tags":{"m":"x"},"url":"http://a"}`, http.StatusUnprocessableEntity, 0},
		{http.MethodGet, "/webhooks/hook-1", "", "", http.StatusOK, 0},
		{http.MethodDelete, "/webhooks/hook-2", "", "", http.StatusOK, 0},
		{http.MethodDelete, "/webhooks/hook-2", "", "", http.StatusNotFound, 0},
		{http.MethodPatch, "/webhooks/hook-2", "", "{}", http.StatusNotFound, 0},
		{http.MethodGet, "/webhooks/hook-2", "", "", http.StatusNotFound, 0},
		{http.MethodPost, "/webhooks", "l", `{"url":"https://b"}`, http.StatusCreated, 0},
		{http.MethodDelete, "/webhooks/hook-3", "", "", http.StatusOK, 0},
		{http.MethodPost, "/webhooks", "l", `{"url":"https://b"}`, http.StatusCreated, 0}, // answered as it was then
		{http.MethodGet, "/webhooks", "", "", http.StatusOK, 1},
		{http.MethodPost, "/webhooks", "", `{"url":"https://a"}`, http.StatusCreated, 0},
	} {
		if got, shown := call(t, store, step.method, step.path, step.key, step.body); got != step.want || shown != step.shown {
			t.Errorf("%s %s %.80s: %d and %d, want %d and %d", step.method, step.path, step.body, got, shown, step.want, step.shown)
		}
	}

	// What is not given stays; tags add up; the ID and the secret are the API's, and no ID is given
	// twice.
	want := []Webhook{
		{ID: "hook-1", URL: "https://a", Events: []string{"z"}, Tags: map[string]string{"k": "v", "l": "w"}},
		{ID: "hook-4", URL: "https://a", Active: true},
	}
	if diff := cmp.Diff(want, store.All(), cmpopts.IgnoreFields(Webhook{}, "Secret")); diff != "" || secret() == "" || secret() == "mine" {
		t.Errorf("in the end there are (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(store.All(), open(t, path).All()); diff != "" {
		t.Errorf("read again (-before +after):\n%s", diff)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want the state alone", entries, err)
	}
}

func TestTheTokenIsAskedFor(t *testing.T) {
	reply := httptest.NewRecorder()
	New(new(Store), "secret").ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/webhooks", nil))
	if reply.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", reply.Code)
	}
}

// A state that cannot be written is not the state: what was answered with an
// error has not happened.
func TestAChangeThatIsNotOnTheDiskHasNotHappened(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "gone", "state.json"))
	status, _ := call(t, store, http.MethodPost, "/webhooks", "", `{"url":"https://a"}`)
	if got := store.All(); status != http.StatusInternalServerError || len(got) != 0 {
		t.Errorf("answered %d, and there is %v", status, got)
	}
}

func TestAFileOfSomethingElseIsRefused(t *testing.T) {
	if _, err := Open("server.go"); err == nil || !strings.Contains(err.Error(), "choose another file") {
		t.Errorf("Open returned %v", err)
	}
}
