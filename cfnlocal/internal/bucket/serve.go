package bucket

import (
	"bytes"
	"crypto/md5" //nolint:gosec // Content-MD5 is made of it
	"crypto/rand"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// ServeHTTP takes a request as S3 does.
func (b *Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !b.enter() {
		return
	}
	defer b.served.Done()
	path, rawQuery, _ := strings.Cut(r.RequestURI, "?")
	if !strings.HasPrefix(path, "/") { // the form that a proxy gets
		path = r.URL.EscapedPath()
	}

	// A fault may answer in place of S3.
	request, known, fault := b.lookup(path)
	refuse := func(err *s3Error) { b.refuse(w, r, request, err) }
	if err := fault.answer(b); err != nil {
		b.discard(r)
		refuse(err)
		return
	}
	if fault == Reset {
		b.discard(r)
		b.vanish(w, r, request)
		return
	}

	// Check the request as S3 does.
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		refuse(refusal(http.StatusBadRequest, "InvalidURI", "Couldn't parse the specified URI."))
		return
	}
	body, refused := b.check(r, call{method: r.Method, host: r.Host, path: path, query: query, header: r.Header})
	if refused == nil && !known { // no URL has been made for this key
		refused = refusal(http.StatusForbidden, "AccessDenied", "Access Denied")
	}
	if refused != nil {
		refuse(refused)
		return
	}

	// Keep the body, and acknowledge it.
	b.store(request, body)
	if fault == LostAcknowledgement {
		b.vanish(w, r, request)
		return
	}
	identify(w.Header())
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(body))) //nolint:gosec // it is what S3 has
	w.WriteHeader(http.StatusOK)
}

// enter reports whether a request may be served, and has Close wait for it.
func (b *Bucket) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.served.Add(1)
	}
	return !b.closed
}

// lookup returns the request whose key is at an escaped path, and takes the fault that is next.
func (b *Bucket) lookup(path string) (r Request, known bool, fault Fault) {
	key, err := url.PathUnescape(strings.TrimPrefix(path, "/"))
	if err != nil {
		return Request{}, false, ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r, known = b.signed[key]
	if faults := b.faults[r]; known && len(faults) > 0 {
		fault, b.faults[r] = faults[0], faults[1:]
	}
	return r, known, fault
}

// check returns a request's body, or why S3 would not take it.
func (b *Bucket) check(r *http.Request, c call) ([]byte, *s3Error) {
	switch {
	case r.Method == http.MethodPost:
		return nil, notAllowed(r.Method)
	case r.Method == http.MethodPut && (r.ContentLength < 0 || r.ContentLength == 0 && r.Header.Get("Content-Length") == ""):
		return nil, refusal(http.StatusLengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header.")
	}
	if err := b.verify(c, b.config.Now()); err != nil {
		return nil, err
	}
	if r.Method != http.MethodPut {
		return nil, notAllowed(r.Method)
	}
	if r.ContentLength > maxBody {
		b.discard(r) // a client that is still sending reads no answer
		return nil, refusal(http.StatusBadRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil || int64(len(body)) != r.ContentLength {
		return nil, refusal(http.StatusBadRequest, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header")
	}
	if given := r.Header.Get("Content-MD5"); given != "" {
		sum, err := base64.StdEncoding.DecodeString(given)
		switch have := md5.Sum(body); { //nolint:gosec // as S3 does
		case err != nil || len(sum) != len(have):
			return nil, refusal(http.StatusBadRequest, "InvalidDigest", "The Content-MD5 you specified was invalid.")
		case !bytes.Equal(sum, have[:]):
			return nil, refusal(http.StatusBadRequest, "BadDigest", "The Content-MD5 you specified did not match what we received.")
		}
	}
	return body, nil
}

func notAllowed(method string) *s3Error {
	return refusal(http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.").
		with("Method", method).with("ResourceType", "OBJECT")
}

// store keeps a body and reports it.
func (b *Bucket) store(r Request, body []byte) {
	b.reporting.Lock()
	defer b.reporting.Unlock()
	b.mu.Lock()
	b.objects[r] = append(b.objects[r], body)
	count := len(b.objects[r])
	b.mu.Unlock()
	if b.config.Stored != nil {
		b.config.Stored(Upload{Request: r, Body: bytes.Clone(body), Count: count})
	}
}

// refuse answers with an error document, and reports it.
func (b *Bucket) refuse(w http.ResponseWriter, r *http.Request, request Request, err *s3Error) {
	b.report(request, r, err)
	document := err.document(identify(w.Header()))
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(err.status)
	_, _ = io.WriteString(w, document)
}

// vanish breaks the connection so that the client reads a reset, and reports it.
func (b *Bucket) vanish(w http.ResponseWriter, r *http.Request, request Request) {
	b.report(request, r, nil)
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // there is no connection any more, or none that can be broken
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (b *Bucket) report(request Request, r *http.Request, err *s3Error) {
	if b.config.Refused == nil {
		return
	}
	refusal := Refusal{Request: request, Method: r.Method}
	if err != nil {
		refusal.Code, refusal.Message = err.code, err.message
	}
	b.reporting.Lock()
	defer b.reporting.Unlock()
	b.config.Refused(refusal)
}

// discard reads what a fault will not look at.
func (b *Bucket) discard(r *http.Request) {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody))
}

// An s3Error is a refusal as S3 words it (Amazon S3 API Reference, "Error Responses").
type s3Error struct {
	status        int
	code, message string
	more          [][2]string // further elements of the document
}

func refusal(status int, code, message string) *s3Error {
	return &s3Error{status: status, code: code, message: message}
}

func (e *s3Error) with(name, value string) *s3Error {
	e.more = append(e.more, [2]string{name, value})
	return e
}

func (e *s3Error) document(requestID, hostID string) string {
	var b strings.Builder
	b.WriteString(xml.Header + "<Error>")
	for _, element := range append([][2]string{{"Code", e.code}, {"Message", e.message}}, append(e.more, [][2]string{{"RequestId", requestID}, {"HostId", hostID}}...)...) {
		b.WriteString("<" + element[0] + ">")
		_ = xml.EscapeText(&b, []byte(element[1])) // a Builder takes everything
		b.WriteString("</" + element[0] + ">")
	}
	b.WriteString("</Error>")
	return b.String()
}

// identify sets the headers that every answer of S3 has.
func identify(header http.Header) (requestID, hostID string) {
	requestID, hostID = rand.Text()[:16], rand.Text()+rand.Text()
	header.Set("Server", "AmazonS3")
	header.Set("X-Amz-Request-Id", requestID)
	header.Set("X-Amz-Id-2", hostID)
	return requestID, hostID
}
