package blackbox

import (
	"crypto/tls"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A bucket is CloudFormation's response bucket, reached as a function in a
// closed network reaches it: through a proxy, by its real name. The proxy
// leads to the bucket whatever host of it is asked for, notes every other host
// and refuses it. The bucket checks signatures, methods and lengths as Amazon
// S3 does, in both signature versions, and keeps every body that it accepts.
//
// It cannot do more than PUT: no GET, no virtual hosts of other buckets, no
// HTTP/2 (S3 has none), no Expect: 100-continue beyond what net/http does.
type bucket struct {
	proxyURL string
	hosts    []string // of this bucket
	latency  time.Duration
	down     func() bool // whether there is no network now
	silent   func() bool // whether S3 gives no answers now

	done chan struct{}
	tls  chan net.Conn

	mu       sync.Mutex
	faults   []fault             // of the requests, in their order; nil is none
	connects []fault             // of the connections, likewise
	asked    []string            // hosts that the proxy was asked for, "" where the request was not CONNECT
	stored   map[string][]string // bodies by key, in the order of their coming
	refused  []string            // what S3 refused, and why
	received int                 // requests that reached S3
}

// script sets what goes wrong from now on.
func (b *bucket) script(faults, connects []fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults, b.connects, b.received, b.asked = faults, connects, 0, nil
}

// hostsOf are the names of CloudFormation's response bucket in region that
// occur in events.
func hostsOf(region string) []string {
	name := "cloudformation-custom-resource-response-" + strings.ReplaceAll(region, "-", "")
	switch {
	case region == "us-east-1":
		return []string{name + ".s3.amazonaws.com", name + ".s3.us-east-1.amazonaws.com"}
	case strings.HasPrefix(region, "cn-"):
		return []string{name + ".s3." + region + ".amazonaws.com.cn"}
	default:
		return []string{name + ".s3-" + region + ".amazonaws.com", name + ".s3." + region + ".amazonaws.com"}
	}
}

func (b *bucket) start(t testing.TB) {
	t.Helper()
	authority := mustAuthority(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.proxyURL = "http://" + listener.Addr().String()
	b.stored, b.done, b.tls = map[string][]string{}, make(chan struct{}), make(chan net.Conn)
	silent := log.New(io.Discard, "", 0)
	proxy := &http.Server{Handler: http.HandlerFunc(b.proxy), ErrorLog: silent, ReadHeaderTimeout: time.Minute}
	s3 := &http.Server{Handler: http.HandlerFunc(b.serve), ErrorLog: silent, ReadHeaderTimeout: time.Minute}
	inner := tls.NewListener(handedOver{b, listener.Addr()}, &tls.Config{
		GetCertificate: authority.certificate, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	})
	var servers sync.WaitGroup
	servers.Go(func() { _ = proxy.Serve(listener) })
	servers.Go(func() { _ = s3.Serve(inner) })
	t.Cleanup(func() {
		close(b.done)
		_ = proxy.Close()
		_ = s3.Close()
		servers.Wait()
	})
}

// proxy is the proxy's side: CONNECT to a host of the bucket is the bucket.
func (b *bucket) proxy(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if r.Method != http.MethodConnect {
		host = r.URL.Scheme + "://" + r.Host
	}
	b.mu.Lock()
	serve := nth(b.connects, len(b.asked))
	b.asked = append(b.asked, host)
	b.mu.Unlock()
	if b.down() {
		reset(w)
		return
	}
	if serve != nil {
		serve(b, w, r)
		return
	}
	name, port, _ := net.SplitHostPort(r.Host)
	if r.Method != http.MethodConnect || port != "443" || !slices.Contains(b.hosts, name) {
		http.Error(w, "this proxy leads to the response bucket alone", http.StatusForbidden)
		return
	}
	conn := hijack(w)
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	if b.latency > 0 {
		conn = &distant{Conn: conn, delay: b.latency}
	}
	select {
	case b.tls <- conn:
	case <-b.done:
		_ = conn.Close()
	}
}

// serve is Amazon S3's side.
func (b *bucket) serve(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	serve := nth(b.faults, b.received)
	b.received++
	b.mu.Unlock()
	if b.silent() {
		hangs(b, w, r)
		return
	}
	if serve != nil {
		serve(b, w, r)
		return
	}
	b.put(w, r)
}

// put answers a request as S3 does when all is well.
func (b *bucket) put(w http.ResponseWriter, r *http.Request) {
	if err := b.store(r); err != nil {
		b.refuse(w, err)
		return
	}
	w.Header().Set("ETag", `"9b2cf535f27731c974343645a3985328"`)
	w.WriteHeader(http.StatusOK)
}

// store keeps the body of r, or says why S3 would not.
func (b *bucket) store(r *http.Request) *s3Error {
	path, query, _ := strings.Cut(r.RequestURI, "?")
	host, _, _ := strings.Cut(r.Host, ":")
	switch {
	case r.Method == http.MethodPost:
		return &s3Error{http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource."}
	case r.ContentLength < 0:
		return &s3Error{http.StatusLengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header."}
	}
	if err := authorize(r.Method, host, path, query, r.Header, time.Now()); err != nil {
		return err
	}
	if r.Method != http.MethodPut {
		return &s3Error{http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource."}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return &s3Error{http.StatusBadRequest, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header"}
	}
	key, err := url.PathUnescape(strings.TrimPrefix(path, "/"))
	if err != nil {
		return &s3Error{http.StatusBadRequest, "InvalidURI", "Couldn't parse the specified URI."}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stored[key] = append(b.stored[key], string(body))
	return nil
}

// refuse answers with an error document as S3's.
func (b *bucket) refuse(w http.ResponseWriter, err *s3Error) {
	b.mu.Lock()
	b.refused = append(b.refused, err.Error())
	b.mu.Unlock()
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(err.status)
	_, _ = io.WriteString(w, xml.Header+"<Error><Code>"+err.code+"</Code><Message>")
	_ = xml.EscapeText(w, []byte(err.message))
	_, _ = io.WriteString(w, "</Message><RequestId>656c76696e6727732072</RequestId><HostId>Uuag1LuByRx9e6j5Onimru9pO4ZVKnJ2</HostId></Error>")
}

// answers are the bodies stored under key.
func (b *bucket) answers(key string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.stored[key])
}

// strangers are the hosts asked for that are not the bucket's.
func (b *bucket) strangers() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.asked), func(host string) bool {
		name, port, _ := net.SplitHostPort(host)
		return port == "443" && slices.Contains(b.hosts, name)
	})
}

// untouched says what reached the network, or "" if nothing did.
func (b *bucket) untouched() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.asked) == 0 && b.received == 0 {
		return ""
	}
	return fmt.Sprintf("hosts %q, %d requests", b.asked, b.received)
}

// handedOver is a listener whose connections the proxy hands over.
type handedOver struct {
	b    *bucket
	addr net.Addr
}

func (l handedOver) Accept() (net.Conn, error) {
	select {
	case conn := <-l.b.tls:
		return conn, nil
	case <-l.b.done:
		return nil, net.ErrClosed
	}
}
func (l handedOver) Close() error   { return nil }
func (l handedOver) Addr() net.Addr { return l.addr }

// distant is a connection whose every message takes a while, either way.
type distant struct {
	net.Conn
	delay time.Duration
}

func (c *distant) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	<-time.After(c.delay)
	return n, err
}

func (c *distant) Write(p []byte) (int, error) {
	<-time.After(c.delay)
	return c.Conn.Write(p)
}
