package bucket

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// Each request meets one fault, in order, and then all is well; other keys do not notice.
func TestFaults(t *testing.T) {
	f := start(t, Config{})
	url := f.Sign(thing)
	other := f.Sign(Request{"s", "Other", "r"})
	f.Inject(thing, InternalError, SlowDown, SlowDown)
	f.Inject(thing, Expired)
	for _, want := range []struct {
		status        int
		code, message string
	}{
		{500, "InternalError", "We encountered an internal error. Please try again."},
		{503, "SlowDown", "Please reduce your request rate."},
		{503, "SlowDown", "Please reduce your request rate."},
		{403, "AccessDenied", "Request has expired"},
		{200, "", ""},
	} {
		if status, doc := do(t, http.MethodPut, other, "{}", nil); status != 200 {
			t.Fatalf("the other key: %d %s", status, doc.Code)
		}
		if status, doc := do(t, http.MethodPut, url, "{}", nil); status != want.status || doc.Code != want.code || doc.Message != want.message {
			t.Fatalf("got %d %s %q, want %+v", status, doc.Code, doc.Message, want)
		}
	}
	if got := len(f.Bodies(thing)); got != 1 {
		t.Errorf("%d bodies were stored, want 1", got)
	}
	if got := f.refused[1]; got.Code != "SlowDown" || got.Request != thing {
		t.Errorf("reported %+v", got)
	}
}

// A connection that is reset says nothing of whether the body was stored.
func TestReset(t *testing.T) {
	for fault, stored := range map[Fault]int{Reset: 0, LostAcknowledgement: 1} {
		t.Run(string(fault), func(t *testing.T) {
			f := start(t, Config{})
			url := f.Sign(thing)
			f.Inject(thing, fault)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
				t.Fatalf("answered %d", resp.StatusCode)
			}
			if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
				t.Errorf("the client sees %v, want a reset", err)
			}
			if err := f.Close(); err != nil { // so that all is reported
				t.Fatal(err)
			}
			if got := len(f.Bodies(thing)); got != stored || len(f.delivered) != stored {
				t.Errorf("%d bodies, want %d", got, stored)
			}
			if len(f.refused) != 1 || f.refused[0].Code != "" {
				t.Errorf("reported %+v", f.refused)
			}
		})
	}
}
