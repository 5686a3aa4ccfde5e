package cfntest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A Dispatcher delivers its answer over HTTP.
func TestRecorderTakesADispatchersAnswer(t *testing.T) {
	rec := cfntest.NewRecorder(t)
	d := cfnresource.New(&thing{made: map[string]bool{}}, rec.Options)
	if _, err := d.Invoke(t.Context(), cfntest.CreateEvent(thingProps{Name: "a", Size: 3}, rec.Event)); err != nil {
		t.Fatal(err)
	}
	if got := rec.Response(); got.Status != "SUCCESS" || got.Data["Size"] != "3" {
		t.Errorf("answered %+v", got)
	}
}

func TestRecorderTakesAnAnswerThatIsSentAgainAfterAFault(t *testing.T) {
	for name, fault := range map[string]func(*cfntest.Recorder){
		"S3 is unavailable, twice":    func(r *cfntest.Recorder) { r.FailNext(503); r.FailNext(500) },
		"the acknowledgement is lost": (*cfntest.Recorder).CutNext,
	} {
		t.Run(name, func(t *testing.T) {
			rec := cfntest.NewRecorder(t)
			fault(rec)
			d := cfnresource.New(&thing{made: map[string]bool{}}, rec.Options)
			if _, err := d.Invoke(t.Context(), cfntest.CreateEvent(thingProps{Name: "a"}, rec.Event)); err != nil {
				t.Fatal(err)
			}
			if got := rec.Response(); got.Status != "SUCCESS" {
				t.Errorf("answered %+v", got)
			}
		})
	}
}

func TestRecorderFailsTheTest(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(t *testing.T, rec *cfntest.Recorder, url string, good []byte)
		want string // part of the failure, or "" for none
	}{
		{"not for one good PUT", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			put(t, url, good)
		}, ""},
		{"for no answer", func(*testing.T, *cfntest.Recorder, string, []byte) {}, "no answer was stored"},
		{"for two", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			put(t, url, good)
			put(t, url, good)
		}, "came 2 times"},
		{"not for the same again after a status", func(t *testing.T, rec *cfntest.Recorder, url string, good []byte) {
			rec.FailNext(503)
			if got := put(t, url, good); got != 503 {
				t.Errorf("status %d, want the one that was asked for", got)
			}
			put(t, url, good)
		}, ""},
		{"for giving up after a status", func(t *testing.T, rec *cfntest.Recorder, url string, good []byte) {
			rec.FailNext(503)
			put(t, url, good)
		}, "no answer was stored"},
		{"not for the same again after a cut", func(t *testing.T, rec *cfntest.Recorder, url string, good []byte) {
			rec.CutNext()
			if got := put(t, url, good); got != 0 {
				t.Errorf("status %d, want no reply", got)
			}
			put(t, url, good)
		}, ""},
		{"not for giving up after a cut: the answer was stored", func(t *testing.T, rec *cfntest.Recorder, url string, good []byte) {
			rec.CutNext()
			put(t, url, good)
		}, ""},
		{"for another answer after a fault", func(t *testing.T, rec *cfntest.Recorder, url string, good []byte) {
			rec.FailNext(503)
			put(t, url, good)
			put(t, url, bytes.Replace(good, []byte(`"p"`), []byte(`"q"`), 1))
		}, "differs from the first"},
		{"for more repeats than faults", func(t *testing.T, rec *cfntest.Recorder, url string, good []byte) {
			rec.FailNext(503)
			put(t, url, good)
			put(t, url, good)
			put(t, url, good)
		}, "came 3 times"},
		{"for an answer that CloudFormation refuses", func(t *testing.T, _ *cfntest.Recorder, url string, _ []byte) {
			put(t, url, []byte("{}"))
		}, "would not accept"},
		{"also where the answer is asked for", func(t *testing.T, rec *cfntest.Recorder, url string, _ []byte) {
			put(t, url, []byte("{}"))
			t.Errorf("Response returned %+v", rec.Response())
		}, "would not accept the answer that came"},
		{"for a second event", func(_ *testing.T, rec *cfntest.Recorder, _ string, _ []byte) {
			cfntest.CreateEvent(nil, rec.Event)
		}, "holds one event"},
		{"for POST", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			send(t, http.MethodPost, url, bytes.NewReader(good), nil)
		}, "came by POST"},
		{"for a Content-Type", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			send(t, http.MethodPut, url, bytes.NewReader(good), http.Header{"Content-Type": {"application/json"}})
		}, "has a Content-Type"},
		{"for no Content-Length", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			send(t, http.MethodPut, url, io.MultiReader(bytes.NewReader(good)), nil)
		}, "without a Content-Length"},
		{"for a path that was decoded", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			put(t, strings.Replace(url, "%3A", ":", 1), good)
		}, "another path or query"},
		{"for a query that was cut off", func(t *testing.T, _ *cfntest.Recorder, url string, good []byte) {
			path, _, _ := strings.Cut(url, "?")
			put(t, path, good)
		}, "another path or query"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := try(t, func(fake *fakeT) {
				rec := cfntest.NewRecorder(fake)
				event := cfntest.CreateEvent(nil, rec.Event)
				good, err := json.Marshal(answerTo(t, event))
				if err != nil {
					t.Fatal(err)
				}
				tc.do(t, rec, decode(t, event)["ResponseURL"].(string), good)
			})
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("failed with %q, want %q", got, tc.want)
			}
		})
	}
}

func put(t *testing.T, url string, body []byte) (status int) {
	t.Helper()
	return send(t, http.MethodPut, url, bytes.NewReader(body), nil)
}

// send returns the status, or 0 if there was no reply.
func send(t *testing.T, method, url string, body io.Reader, header http.Header) (status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// What would panic, or wait for a minute, ends the test at once.
func TestWhatIsNoFailureIsRefused(t *testing.T) {
	for name, test := range map[string]func(t *testing.T){
		"a status of success": func(t *testing.T) { cfntest.NewRecorder(t).FailNext(200) },
		"no status":           func(t *testing.T) { cfntest.NewRecorder(t).FailNext(-1) },
		"no function":         func(t *testing.T) { cfntest.Invoke(t, nil, cfntest.CreateEvent(struct{}{})) },
	} {
		goesOn := false
		if runTest(func(t *testing.T) { test(t); goesOn = true }) || goesOn {
			t.Errorf("%s: it passes, or goes on: %v", name, goesOn)
		}
	}
}
