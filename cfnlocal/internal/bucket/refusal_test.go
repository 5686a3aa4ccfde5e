package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/response"
)

// What S3 would refuse is refused, with S3's status, code and words, and nothing is stored.
func TestRefusal(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	replaced := func(old, with string) func(string) string {
		return func(url string) string {
			if !strings.Contains(url, old) {
				t.Fatalf("%s is not in %s", old, url)
			}
			return strings.Replace(url, old, with, 1)
		}
	}
	const denied = "AccessDenied"
	for _, test := range []struct {
		name    string
		method  string // PUT if empty
		after   time.Duration
		url     func(string) string
		edit    func(*http.Request)
		status  int
		code    string
		message string // where it matters
	}{
		{name: "two hours", after: 2 * time.Hour, status: 200},
		{name: "expired", after: 2*time.Hour + time.Second, status: 403, code: denied, message: "Request has expired"},
		{name: "the signature does not cover Content-Type", edit: header("Content-Type", "application/json"), status: 200},
		{name: "X-Amz headers that are not signed", edit: header("X-Amz-Acl", "private"), status: 403, code: denied, message: "There were headers present in the request which were not signed"},
		{name: "POST", method: "POST", status: 405, code: "MethodNotAllowed"},
		{name: "GET", method: "GET", status: 403, code: "SignatureDoesNotMatch"},
		{name: "DELETE", method: "DELETE", status: 403, code: "SignatureDoesNotMatch"},
		{name: "another key", url: replaced("Thing", "Think"), status: 403, code: "SignatureDoesNotMatch"},
		{name: "another expiry", url: replaced("=7200", "=72000"), status: 403, code: "SignatureDoesNotMatch"},
		{name: "another region", url: replaced("us-east-1%2Fs3", "us-west-2%2Fs3"), status: 400, code: "AuthorizationQueryParametersError"},
		{name: "no date", url: replaced("X-Amz-Date", "X-Amz-Dote"), status: 400, code: "AuthorizationQueryParametersError"},
		{name: "no expiry", url: replaced("X-Amz-Expires", "X-Amz-Expired"), status: 400, code: "AuthorizationQueryParametersError"},
		{name: "another signature", url: replaced("X-Amz-Signature=", "X-Amz-Signature=0"), status: 403, code: "SignatureDoesNotMatch"},
		{name: "another parameter", url: func(url string) string { return url + "&a=b" }, status: 403, code: "SignatureDoesNotMatch"},
		{name: "another host", edit: func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }, status: 403, code: "SignatureDoesNotMatch"},
		{name: "the path decoded is encoded again", edit: func(r *http.Request) {
			r.URL.Opaque = "//" + r.Host + strings.ReplaceAll(r.URL.EscapedPath(), "%7C", "|")
		}, status: 200},
		{name: "another access key", url: replaced("AKIA", "ASIA"), status: 403, code: "InvalidAccessKeyId"},
		{name: "no signature", url: func(url string) string { path, _, _ := strings.Cut(url, "?"); return path }, status: 403, code: denied, message: "Access Denied"},
		{name: "two kinds of authorization", edit: header("Authorization", "AWS4-HMAC-SHA256 Credential=a"), status: 400, code: "InvalidArgument"},
		{name: "a query that cannot be read", url: func(url string) string { return url + "&%zz" }, status: 400, code: "InvalidURI"},
		{name: "no Content-Length", edit: func(r *http.Request) { r.ContentLength = -1 }, status: 411, code: "MissingContentLength"},
		{name: "as long as may be", edit: func(r *http.Request) { setBody(r, strings.Repeat("x", maxBody)) }, status: 200},
		{name: "too long", edit: func(r *http.Request) { setBody(r, strings.Repeat("x", maxBody+1)) }, status: 400, code: "EntityTooLarge"},
		{name: "the right Content-MD5", edit: header("Content-MD5", "u2y1xo30ZSlByvZSo2by2A=="), status: 200},
		{name: "a wrong Content-MD5", edit: header("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="), status: 400, code: "BadDigest"},
		{name: "a Content-MD5 that is none", edit: header("Content-MD5", "?"), status: 400, code: "InvalidDigest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The request, with what is wrong about it.
			f := start(t, Config{})
			url := f.Sign(thing)
			if test.url != nil {
				url = test.url(url)
			}
			f.now = f.now.Add(test.after)
			if test.method == "" {
				test.method = http.MethodPut
			}
			status, doc := do(t, test.method, url, `{"a":1}`, test.edit)
			if status != test.status || doc.Code != test.code || test.message != "" && doc.Message != test.message {
				t.Fatalf("got %d %s %q, want %d %s %q", status, doc.Code, doc.Message, test.status, test.code, test.message)
			}
			// It is stored, or reported as refused.
			stored := test.status == http.StatusOK
			if got := len(f.Bodies(thing)) == 1; got != stored || (len(f.uploads) == 1) != stored {
				t.Errorf("stored is %t, want %t", got, stored)
			}
			if (len(f.refused) == 0) != stored {
				t.Fatalf("refusals: %+v", f.refused)
			}
			if stored {
				return
			}
			if got := f.refused[0]; got.Code != doc.Code || got.Message != doc.Message || got.Method != test.method {
				t.Errorf("reported %+v, answered %d %s", got, status, doc.Code)
			}
			if doc.Message == "Request has expired" && (doc.Expires != "2026-05-01T14:00:00Z" || doc.ServerTime != "2026-05-01T14:00:01Z") {
				t.Errorf("expired at %s, server time %s", doc.Expires, doc.ServerTime)
			}
		})
	}
}

func setBody(r *http.Request, body string) {
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
}

// net/http's client always sends a Content-Length or a chunked body: what
// neither has, and a body that ends early, needs a client of its own.
func TestRawRequests(t *testing.T) {
	for _, test := range []struct{ name, headers, body, status, code string }{
		{"a PUT without any length", "", "", "411", "MissingContentLength"},
		{"a body of no bytes", "Content-Length: 0\r\n", "", "200", ""},
		{"a body that ends early", "Content-Length: 10\r\n", "123", "400", "IncompleteBody"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := start(t, Config{})
			target := strings.TrimPrefix(f.Sign(thing), f.Origin())
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", f.host())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n%s", target, f.host(), test.headers, test.body); err != nil {
				t.Fatal(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(conn)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(answer, []byte("HTTP/1.1 "+test.status)) || !bytes.Contains(answer, []byte(test.code)) {
				t.Errorf("got %s, want %s %s", answer, test.status, test.code)
			}
		})
	}
}

// Another process's URL is no use, though it is for the same key at the same address.
func TestAnotherBucketsURL(t *testing.T) {
	f := start(t, Config{})
	stranger := newBucket(f.Origin(), f.config)
	f.Sign(thing)
	if status, doc := do(t, http.MethodPut, stranger.Sign(thing), "{}", nil); status != 403 || doc.Code != "InvalidAccessKeyId" {
		t.Errorf("got %d %s", status, doc.Code)
	}
	stranger.keys.access = f.keys.access
	if status, doc := do(t, http.MethodPut, stranger.Sign(thing), "{}", nil); status != 403 || doc.Code != "SignatureDoesNotMatch" {
		t.Errorf("got %d %s", status, doc.Code)
	}
}

// A page of another site cannot answer, even with a URL that it has seen.
func TestStrangersCannotAnswer(t *testing.T) {
	f := start(t, Config{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, f.Sign(Request{StackID: "s", LogicalID: "l", RequestID: "r"}), strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://attacker.example")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden || len(f.uploads) > 0 {
		t.Errorf("%s, and %d answers were stored", resp.Status, len(f.uploads))
	}
}

// The sender that functions answer with is accepted, with the bucket's origin on its list; it tries
// again what S3 asks to try again, and not what S3 refuses.
func TestSender(t *testing.T) {
	for _, test := range []struct {
		name   string
		faults []Fault
		stored int
		status int // of the error
	}{
		{name: "no fault", stored: 1},
		{name: "errors that pass", faults: []Fault{InternalError, SlowDown, Reset}, stored: 1},
		{name: "a lost acknowledgement", faults: []Fault{LostAcknowledgement}, stored: 2},
		{name: "an expired URL", faults: []Fault{Expired}, status: http.StatusForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The SDK's own sender sends an answer.
			f := start(t, Config{})
			url := f.Sign(thing)
			f.Inject(thing, test.faults...)
			to, err := response.ParseURL(url)
			if err != nil {
				t.Fatal(err)
			}
			sender := response.NewSender("", response.SenderOptions{Hosts: []string{f.Origin()}})
			defer sender.CloseIdleConnections()
			body := []byte(`{"Status":"SUCCESS","Reason":"ä"}`)
			err = sender.Send(t.Context(), to, body)
			// It arrived, or the error says why not.
			status := (*response.StatusError)(nil)
			switch {
			case test.status == 0 && err != nil:
				t.Fatalf("Send: %v", err)
			case test.status != 0 && (!errors.As(err, &status) || status.StatusCode != test.status || status.Code != "AccessDenied"):
				t.Errorf("Send: %v, want %d", err, test.status)
			}
			bodies := f.Bodies(thing)
			if len(bodies) != test.stored {
				t.Fatalf("%d bodies were stored, want %d", len(bodies), test.stored)
			}
			for _, got := range bodies {
				if !bytes.Equal(got, body) {
					t.Errorf("stored is %s", got)
				}
			}
		})
	}
}
