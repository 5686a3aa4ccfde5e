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
)

// call answers with the status and, in a list, with how many it shows.
func call(t *testing.T, api http.Handler, method, path, body string) (status, shown int) {
	t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer token")
	req.Header.Set("Idempotency-Key", body)
	reply := httptest.NewRecorder()
	api.ServeHTTP(reply, req)
	var list []any
	_ = json.Unmarshal(reply.Body.Bytes(), &list) // others are no lists
	return reply.Code, len(list)
}

func open(t *testing.T, path string, habits Habits) http.Handler {
	t.Helper()
	store, err := Open(path, habits)
	if err != nil {
		t.Fatal(err)
	}
	return New(store, "token")
}

const monitor, rule = `{"url":"https://example.com","seconds":60,"labels":{"a":"b"}}`, `{"monitor":1001,"email":"ada@example.com"}`

// Each request meets what the ones before it made.
func TestLifeOfAMonitor(t *testing.T) {
	api := open(t, "", Habits{})
	for _, step := range []struct {
		method, path, body string
		want, shown        int
	}{
		{http.MethodPost, "/monitors", `{"url":"http://example.com","seconds":60}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/monitors", monitor, http.StatusCreated, 0},
		{http.MethodPost, "/monitors", monitor, http.StatusCreated, 0}, // by its key, the same
		{http.MethodGet, "/monitors?label=a=b", "", http.StatusOK, 1},
		{http.MethodGet, "/monitors?label=a=c", "", http.StatusOK, 0},
		{http.MethodPatch, "/monitors/1001", `{"labels":{"c":"d"}}`, http.StatusOK, 0},
		{http.MethodGet, "/monitors?label=a=b", "", http.StatusOK, 1},
		{http.MethodGet, "/monitors?label=c=d", "", http.StatusOK, 1},
		{http.MethodPatch, "/monitors/1001", `{"seconds":-1}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPatch, "/monitors/7", `{}`, http.StatusNotFound, 0},
		{http.MethodGet, "/monitors/my-stack-Monitor-1ABCDEFGHIJKL", "", http.StatusNotFound, 0},
		{http.MethodPost, "/rules", `{"monitor":7,"email":"ada@example.com"}`, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, "/rules", rule, http.StatusCreated, 0},
		{http.MethodPost, "/rules", rule, http.StatusConflict, 0},
		{http.MethodGet, "/rules?monitor=1001", "", http.StatusOK, 1},
		{http.MethodGet, "/rules?monitor=7", "", http.StatusOK, 0},
		{http.MethodPatch, "/rules/1002", `{"email":"grace@example.com"}`, http.StatusOK, 0},
		{http.MethodDelete, "/monitors/1001", "", http.StatusConflict, 0},
		{http.MethodDelete, "/rules/1002", "", http.StatusOK, 0},
		{http.MethodDelete, "/rules/1002", "", http.StatusNotFound, 0},
		{http.MethodDelete, "/monitors/1001", "", http.StatusOK, 0},
		{http.MethodDelete, "/monitors/1001", "", http.StatusNotFound, 0},
	} {
		if got, shown := call(t, api, step.method, step.path, step.body); got != step.want || shown != step.shown {
			t.Errorf("%s %s %s: %d and %d, want %d and %d", step.method, step.path, step.body, got, shown, step.want, step.shown)
		}
	}
}

func TestListsLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := open(t, "", Habits{Lag: 10 * time.Second})
		shows := func(want int) {
			t.Helper()
			if _, got := call(t, api, http.MethodGet, "/monitors", ""); got != want {
				t.Errorf("the list shows %d, want %d", got, want)
			}
		}
		call(t, api, http.MethodPost, "/monitors", monitor)
		shows(0)
		if status, _ := call(t, api, http.MethodGet, "/monitors/1001", ""); status != http.StatusOK {
			t.Errorf("read by its number: %d", status)
		}
		<-time.After(10 * time.Second)
		shows(1)
		call(t, api, http.MethodDelete, "/monitors/1001", "")
		shows(1)
		<-time.After(9 * time.Second)
		shows(1)
		<-time.After(time.Second)
		shows(0)
	})
}

func TestMonitorsTakeAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := open(t, "", Habits{Ready: time.Minute})
		call(t, api, http.MethodPost, "/monitors", monitor)
		if status, _ := call(t, api, http.MethodPost, "/rules", rule); status != http.StatusConflict {
			t.Errorf("a rule for what is provisioning: %d", status)
		}
		<-time.After(time.Minute)
		if status, _ := call(t, api, http.MethodPost, "/rules", rule); status != http.StatusCreated {
			t.Errorf("a rule for what is active: %d", status)
		}
	})
}

func TestRequestsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := open(t, "", Habits{Rate: 2})
		for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
			if got, _ := call(t, api, http.MethodGet, "/monitors", ""); got != want {
				t.Errorf("request %d: %d, want %d", i+1, got, want)
			}
		}
		<-time.After(time.Second)
		if got, _ := call(t, api, http.MethodGet, "/monitors", ""); got != http.StatusOK {
			t.Errorf("a second later: %d", got)
		}
	})
}

func TestMonitorsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	call(t, open(t, path, Habits{}), http.MethodPost, "/monitors", monitor)
	if status, _ := call(t, open(t, path, Habits{}), http.MethodGet, "/monitors/1001", ""); status != http.StatusOK {
		t.Errorf("after a restart: %d", status)
	}
	if _, err := Open("server.go", Habits{}); err == nil {
		t.Error("a file of another's is overwritten")
	}
}

func TestTheTokenIsNeeded(t *testing.T) {
	store, err := Open("", Habits{})
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := call(t, New(store, "another"), http.MethodGet, "/monitors", ""); status != http.StatusUnauthorized {
		t.Errorf("another token: %d", status)
	}
}
