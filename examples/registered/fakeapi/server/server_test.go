package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, path string, ready time.Duration) *Store {
	t.Helper()
	store, err := Open(path, ready)
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

const valid = `{"url":"https://a","seconds":60,"bearer":"hush","labels":{"k":"v"}}`

// Each request meets what the ones before it made.
func TestLifeOfAMonitor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	store := open(t, path, 0)
	for _, step := range []struct {
		method, path, key, body string
		want, shown             int
	}{
		{http.MethodPost, "/monitors", "", ``, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/monitors", "", `{"url":"http://a","seconds":1}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/monitors", "", `{"url":"https://a"}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/monitors", "", `{"url":"https://a","sconds":1}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/monitors", "", strings.Repeat(" ", 1<<17), http.StatusUnprocessableEntity, 0},
		{http.MethodGet, "/monitors", "", "", http.StatusOK, 0},
		{http.MethodPost, "/monitors", "k", valid, http.StatusCreated, 0},
		{http.MethodPost, "/monitors", "k", valid, http.StatusCreated, 0}, // by its key, the same
		{http.MethodPost, "/monitors", "", `{"url":"https://a","seconds":60,"labels":{"k":"w"}}`, http.StatusCreated, 0},
		{http.MethodPost, "/monitors", "", `{"url":"https://a","seconds":60}`, http.StatusCreated, 0},
		{http.MethodGet, "/monitors", "", "", http.StatusOK, 3},
		{http.MethodGet, "/monitors?label=k=v", "", "", http.StatusOK, 1},
		{http.MethodGet, "/monitors?label=k=x", "", "", http.StatusOK, 0},
		{http.MethodGet, "/monitors?after=1001", "", "", http.StatusOK, 2},
		{http.MethodGet, "/monitors?after=", "", "", http.StatusOK, 3},
		{http.MethodGet, "/monitors?limit=2", "", "", http.StatusOK, 2},
		{http.MethodGet, "/monitors?after=1002&limit=2", "", "", http.StatusOK, 1},
		{http.MethodPatch, "/monitors/1001", "", `{"id":7,"seconds":90,"labels":{"l":"w"}}`, http.StatusOK, 0},
		{http.MethodPatch, "/monitors/1001", "", `{"labels":{"m":"x"},"url":"http://a"}`, http.StatusUnprocessableEntity, 0},
		{http.MethodGet, "/monitors/1001", "", "", http.StatusOK, 0},
		{http.MethodDelete, "/monitors/1002", "", "", http.StatusOK, 0},
		{http.MethodDelete, "/monitors/1002", "", "", http.StatusNotFound, 0},
		{http.MethodPatch, "/monitors/1002", "", "{}", http.StatusNotFound, 0},
		{http.MethodGet, "/monitors/1002", "", "", http.StatusNotFound, 0},
		{http.MethodPost, "/monitors", "l", valid, http.StatusCreated, 0},
		{http.MethodDelete, "/monitors/1004", "", "", http.StatusOK, 0},
		{http.MethodPost, "/monitors", "l", valid, http.StatusCreated, 0}, // answered as it was then
		{http.MethodGet, "/monitors", "", "", http.StatusOK, 2},
	} {
		if got, shown := call(t, store, step.method, step.path, step.key, step.body); got != step.want || shown != step.shown {
			t.Errorf("%s %s %.80s: %d and %d, want %d and %d", step.method, step.path, step.body, got, shown, step.want, step.shown)
		}
	}

	// What is not given stays, labels add up, the ID is the API's, and nobody is shown the bearer
	// token.
	want := []Monitor{
		{ID: 1001, State: "active", URL: "https://a", Seconds: 90, Labels: map[string]string{"k": "v", "l": "w"}},
		{ID: 1003, State: "active", URL: "https://a", Seconds: 60},
	}
	if diff := cmp.Diff(want, store.Monitors()); diff != "" {
		t.Errorf("in the end there are (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, open(t, path, 0).Monitors()); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	if _, err := Open("server.go", 0); err == nil {
		t.Error("a file of something else's is taken")
	}
}

func TestMonitorsTakeAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := open(t, "", time.Minute)
		call(t, store, http.MethodPost, "/monitors", "", valid)
		for _, want := range []string{"provisioning", "active"} {
			if got := store.Monitors()[0].State; got != want {
				t.Errorf("it is %s, want %s", got, want)
			}
			<-time.After(time.Minute)
		}
	})
}

func TestTheTokenIsAskedFor(t *testing.T) {
	reply := httptest.NewRecorder()
	New(new(Store), "secret").ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/monitors", nil))
	if reply.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", reply.Code)
	}
}
