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

type client struct {
	t   *testing.T
	api http.Handler
}

func newClient(t *testing.T, ready time.Duration) client {
	t.Helper()
	store, err := Open(filepath.Join(t.TempDir(), "state.json"), ready)
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

const valid = `{"url":"https://a","seconds":60,"bearer":"hush","labels":{"k":"v"}}`

func TestLifeOfAMonitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, time.Minute)
		var made, changed, got Monitor
		c.do("POST", "/monitors", "", valid, http.StatusCreated, &made)
		want := Monitor{ID: 1001, State: "provisioning", URL: "https://a", Seconds: 60, Labels: map[string]string{"k": "v"}}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("POST made (-want +got):\n%s", diff)
		}
		<-time.After(time.Minute)
		// What is not given stays, labels add up, and the ID is the API's.
		c.do("PATCH", "/monitors/1001", "", `{"id":7,"seconds":90,"labels":{"l":"w"}}`, http.StatusOK, &changed)
		want.State, want.Seconds, want.Labels = "active", 90, map[string]string{"k": "v", "l": "w"}
		if diff := cmp.Diff(want, changed); diff != "" {
			t.Errorf("PATCH (-want +got):\n%s", diff)
		}
		c.do("PATCH", "/monitors/1001", "", `{"labels":{"m":"x"},"url":"http://a"}`, http.StatusUnprocessableEntity, nil)
		c.do("GET", "/monitors/1001", "", "", http.StatusOK, &got)
		if diff := cmp.Diff(changed, got); diff != "" {
			t.Errorf("GET after PATCH, and after one that was refused (-want +got):\n%s", diff)
		}
		c.do("DELETE", "/monitors/1001", "", "", http.StatusOK, nil)
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			c.do(method, "/monitors/1001", "", "{}", http.StatusNotFound, nil)
		}
	})
}

func TestOneIdempotencyKeyMakesOneMonitor(t *testing.T) {
	c := newClient(t, 0)
	var first, second, third Monitor
	c.do("POST", "/monitors", "k", valid, http.StatusCreated, &first)
	c.do("POST", "/monitors", "k", valid, http.StatusCreated, &second)
	c.do("POST", "/monitors", "", valid, http.StatusCreated, &third)
	if diff := cmp.Diff(first, second); diff != "" || third.ID == first.ID {
		t.Errorf("the second POST with one key made another (-first +second):\n%s", diff)
	}
}

func TestLists(t *testing.T) {
	c := newClient(t, 0)
	for _, labels := range []string{`{"k":"v"}`, `{"k":"w"}`, `{}`} {
		c.do("POST", "/monitors", "", `{"url":"https://a","seconds":60,"labels":`+labels+`}`, http.StatusCreated, nil)
	}
	for query, want := range map[string]int{"": 3, "?label=k=v": 1, "?label=k=x": 0, "?after=1001": 2, "?limit=2": 2, "?after=1002&limit=2": 1, "?after=": 3} {
		var found []Monitor
		c.do("GET", "/monitors"+query, "", "", http.StatusOK, &found)
		if len(found) != want {
			t.Errorf("GET /monitors%s lists %d, want %d", query, len(found), want)
		}
	}
}

func TestWhatIsNotValidIsRefused(t *testing.T) {
	c := newClient(t, 0)
	for _, body := range []string{``, `{`, `{"url":"http://a","seconds":1}`, `{"url":"https://a"}`, `{"url":"https://a","sconds":1}`, strings.Repeat(" ", 1<<17)} {
		c.do("POST", "/monitors", "", body, http.StatusUnprocessableEntity, nil)
	}
	var found []Monitor
	if c.do("GET", "/monitors", "", "", http.StatusOK, &found); len(found) != 0 {
		t.Errorf("made %v", found)
	}
	c.api = New(new(Store), "secret")
	c.do("GET", "/monitors", "", "", http.StatusUnauthorized, nil)
}

func TestMonitorsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	open := func() client {
		store, err := Open(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		return client{t, New(store, "")}
	}
	open().do("POST", "/monitors", "", valid, http.StatusCreated, nil)
	open().do("GET", "/monitors/1001", "", "", http.StatusOK, nil)
	if _, err := Open("server.go", 0); err == nil {
		t.Error("a file of something else's is taken")
	}
}
