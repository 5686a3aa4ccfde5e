package bucket

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var thing = Request{"arn:aws:cloudformation:us-east-1:123456789012:stack/app/96896520", "Thing", "6245fb70"}

// A fixture is a bucket that listens, with what it has told.
type fixture struct {
	*Bucket
	now     time.Time
	uploads []Upload
	refused []Refusal
}

func start(t *testing.T, c Config) *fixture {
	t.Helper()
	f := &fixture{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	c.Now = func() time.Time { return f.now }
	c.Stored = func(u Upload) { f.uploads = append(f.uploads, u) }
	c.Refused = func(r Refusal) { f.refused = append(f.refused, r) }
	b, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	f.Bucket = b
	return f
}

// An s3Document is what a client can read of an error.
type s3Document struct {
	XMLName                                             xml.Name `xml:"Error"`
	Code, Message, RequestId, HostId                    string
	Expires, ServerTime, StringToSign, HeadersNotSigned string
}

// do sends a request as a client that has no idea of buckets.
func do(t *testing.T, method, url, body string, edit func(*http.Request)) (int, s3Document) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(req)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var doc s3Document
	if resp.StatusCode != http.StatusOK {
		if err := xml.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%d %s: %v", resp.StatusCode, text, err)
		}
		if doc.RequestId == "" || doc.HostId == "" || resp.Header.Get("Content-Type") != "application/xml" {
			t.Errorf("%d %s: no document of S3's", resp.StatusCode, text)
		}
	}
	if resp.Header.Get("X-Amz-Request-Id") == "" || resp.Header.Get("Server") != "AmazonS3" {
		t.Errorf("the headers %v are not S3's", resp.Header)
	}
	return resp.StatusCode, doc
}

func TestPut(t *testing.T) {
	f := start(t, Config{})
	other := Request{thing.StackID, "Other|Thing ä%", "6245fb70"}
	url, otherURL := f.Sign(thing), f.Sign(other)
	for _, put := range []struct{ url, body string }{{url, "first"}, {otherURL, "other"}, {url, "second"}, {url, ""}} {
		if status, doc := do(t, http.MethodPut, put.url, put.body, func(r *http.Request) { r.Header["Content-Type"] = nil }); status != http.StatusOK {
			t.Fatalf("PUT of %q: %d %s", put.body, status, doc.Code)
		}
	}
	want := []Upload{{thing, []byte("first"), 1}, {other, []byte("other"), 1}, {thing, []byte("second"), 2}, {thing, []byte(""), 3}}
	if diff := cmp.Diff(want, f.uploads); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]byte{[]byte("first"), []byte("second"), []byte("")}, f.Bodies(thing)); diff != "" {
		t.Errorf("overwritten in another order (-want +got):\n%s", diff)
	}
	if len(f.refused) != 0 {
		t.Errorf("refused: %+v", f.refused)
	}
}

// A bucket that is closed serves nothing and calls nobody.
func TestClose(t *testing.T) {
	f := start(t, Config{})
	url := f.Sign(thing)
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader("{}")))
	if len(f.uploads)+len(f.refused) != 0 {
		t.Error("it was served")
	}
}

// Requests at the same time are reported one by one, numbered as they are kept.
func TestConcurrentPuts(t *testing.T) {
	f := start(t, Config{})
	url := f.Sign(thing)
	const n = 20
	done := make(chan int, n)
	for i := range n {
		go func() {
			status, _ := do(t, http.MethodPut, url, fmt.Sprint(i), nil)
			done <- status
		}()
	}
	for range n {
		if status := <-done; status != http.StatusOK {
			t.Errorf("answered %d", status)
		}
	}
	for i, body := range f.Bodies(thing) {
		if d := f.uploads[i]; d.Count != i+1 || !bytes.Equal(d.Body, body) {
			t.Errorf("upload %d is number %d, %s; kept is %s", i+1, d.Count, d.Body, body)
		}
	}
	if len(f.uploads) != n {
		t.Errorf("%d uploads, want %d", len(f.uploads), n)
	}
}

// Whatever a client asks for, it is refused with a document, and
// nothing is stored, unless the signature is right.
func FuzzRequest(f *testing.F) {
	b := newBucket("http://127.0.0.1:1", Config{})
	url := b.Sign(thing)
	_, query, _ := strings.Cut(url, "?")
	f.Add("/"+escape(thing.key(), true), query)
	f.Add("/%zz", "X-Amz-Signature=1&X-Amz-Date=20260501T120000Z&X-Amz-Expires=-1")
	f.Add("/a", "Signature=%2B&Expires=99999999999999999999&AWSAccessKeyId=")
	f.Add("*", "Signature=1&X-Amz-Signature=1")
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", strings.NewReader("{}"))
		r.RequestURI, r.Host = path+"?"+query, "127.0.0.1:1"
		r.Header.Set("Content-Length", "2")
		before := len(b.Bodies(thing))
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		signed := strings.Contains(query, "X-Amz-Signature") && w.Code == http.StatusOK
		if after := len(b.Bodies(thing)); (after > before) != signed {
			t.Errorf("answered %d, %d objects, before it %d", w.Code, after, before)
		}
		if w.Code != http.StatusOK {
			if err := xml.Unmarshal(w.Body.Bytes(), new(s3Document)); err != nil {
				t.Errorf("%d %s: %v", w.Code, w.Body, err)
			}
		}
	})
}

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
			if got := len(f.Bodies(thing)); got != stored || len(f.uploads) != stored {
				t.Errorf("%d bodies, want %d", got, stored)
			}
			if len(f.refused) != 1 || f.refused[0].Code != "" {
				t.Errorf("reported %+v", f.refused)
			}
		})
	}
}
