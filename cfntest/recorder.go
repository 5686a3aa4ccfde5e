package cfntest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/answercheck"
)

// A Recorder is the other end of one event's signed URL, as an HTTP server on
// the loopback interface:
//
//	rec := cfntest.NewRecorder(t)
//	d := cfnresource.New(&Subscription{}, rec.Options)
//	_, err := d.Invoke(t.Context(), cfntest.CreateEvent(props, rec.Event))
//	answer := rec.Response()
//
// It takes a PUT to exactly the event's URL, with a Content-Length and without
// a Content-Type, and at the end of the test fails the test unless exactly one
// answer came, of a form that CloudFormation accepts.
//
// What it cannot do: it does not verify the signature (it compares the URL instead), and it speaks
// no TLS. It holds one event: for several, make several.
type Recorder struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	target   string              // path and query of the event's URL, "" before there is one
	req      answercheck.Request // the event
	faults   []int               // what the next PUTs get: a status, or cut
	injected int                 // how many faults PUTs have got
	body     []byte              // of the first PUT
	puts     int
	kept     bool // whether a PUT was stored
	answer   *Response
	done     chan struct{} // closed when a PUT is stored
}

// cut is the fault of an answer that is stored and not acknowledged.
const cut = -1

// NewRecorder returns a Recorder that lives until the end of the test.
func NewRecorder(t testing.TB) *Recorder {
	t.Helper()
	r := &Recorder{t: t, done: make(chan struct{})}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.close)
	return r
}

// Event is an option of [CreateEvent], [UpdateEvent] and [DeleteEvent]: the
// event's answer goes to r.
func (r *Recorder) Event(e *Event) {
	e.ResponseHost = r.server.URL
	e.made = r.expect
}

// Options is an option of cfnresource.New and cfnresource.NewDispatcher: answers may be sent to r.
func (r *Recorder) Options(o *cfnresource.Options) {
	o.ResponseHosts = append(o.ResponseHosts, r.server.URL)
}

// FailNext makes the next PUT fail with an HTTP status: the answer is not
// stored, and may be sent again. Calls add up. The status is 300 to 599.
func (r *Recorder) FailNext(status int) {
	r.t.Helper()
	if status < 300 || status > 599 {
		r.t.Fatalf("cfntest: FailNext(%d) is no failure: want a status from 300 to 599", status)
	}
	r.inject(status)
}

// CutNext makes the next PUT end without a reply, although the answer is
// stored: it may be sent again, the same to the byte. Calls add up.
func (r *Recorder) CutNext() { r.inject(cut) }

func (r *Recorder) inject(fault int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fault)
}

// Response returns the answer to the event. It waits up to a minute for it, and
// fails the test if none came or if CloudFormation would not accept it.
func (r *Recorder) Response() Response {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(time.Minute):
		r.t.Fatalf("cfntest: no answer came within a minute")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer == nil {
		r.t.Fatalf("cfntest: CloudFormation would not accept the answer that came")
	}
	return *r.answer
}

func (r *Recorder) expect(e Event, payload []byte) {
	r.t.Helper()
	u, err := url.Parse(e.ResponseURL)
	if err != nil {
		r.t.Fatalf("cfntest: the event's ResponseURL: %v", err)
	}
	req, err := answercheck.ReadRequest(payload)
	if err != nil {
		r.t.Fatalf("cfntest: %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.target != "" {
		r.t.Fatalf("cfntest: a Recorder holds one event: make another with NewRecorder")
	}
	r.target, r.req = u.RequestURI(), req
}

func (r *Recorder) close() {
	r.server.Close() // waits for PUTs under way
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.kept {
		r.t.Errorf("cfntest: no answer was stored: CloudFormation would wait for its ServiceTimeout, an hour by default")
	}
}

func (r *Recorder) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		r.t.Errorf("cfntest: the answer's body did not come whole: %v", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()

	// What S3 refuses, and what was answered before.
	if status, problem := r.refuse(req); problem != "" {
		r.t.Errorf("cfntest: %s: S3 would answer %d", problem, status)
		http.Error(w, problem, status)
		return
	}
	if !r.repeatable(body) {
		return
	}
	if len(r.faults) > 0 {
		fault := r.faults[0]
		r.faults = r.faults[1:]
		r.injected++
		if fault != cut {
			w.WriteHeader(fault)
			return
		}
		defer hangUp(w) // once it is stored: the sender cannot know that
	}
	r.store(body)
}

// refuse returns what S3 would refuse of a request to a signed URL.
func (r *Recorder) refuse(req *http.Request) (status int, problem string) {
	_, typed := req.Header["Content-Type"]
	switch {
	case req.Method != http.MethodPut:
		return http.StatusForbidden, "the answer came by " + req.Method + ", the URL is signed for PUT"
	case req.RequestURI != r.target:
		return http.StatusForbidden, "the answer came to another path or query than the event's ResponseURL"
	case typed:
		return http.StatusForbidden, "the answer has a Content-Type, the URL is signed for none"
	case req.ContentLength < 0:
		return http.StatusLengthRequired, "the answer came without a Content-Length"
	}
	return 0, ""
}

// repeatable counts a PUT and reports whether it may come: the first one may,
// and after a fault the same again.
func (r *Recorder) repeatable(body []byte) bool {
	r.puts++
	if r.puts == 1 {
		r.body = body
		return true
	}
	if !bytes.Equal(body, r.body) {
		r.t.Errorf("cfntest: a second answer came, and it differs from the first")
		return false
	}
	// A sender that got a 200 has no reason to send again.
	if r.puts > 1+r.injected {
		r.t.Errorf("cfntest: the answer came %d times, although it had been taken", r.puts)
		return false
	}
	return true
}

func (r *Recorder) store(body []byte) {
	if r.kept { // after a cut, the same answer comes again
		return
	}
	r.kept = true
	defer close(r.done)
	answer, err := answercheck.Read(r.req, body)
	if err != nil {
		r.t.Errorf("cfntest: CloudFormation would not accept the answer to the %s:\n%v", r.req.RequestType, err)
		return
	}
	r.answer = (*Response)(&answer)
}

// hangUp ends the connection without a reply.
func hangUp(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			_ = conn.Close()
		}
	}
}
