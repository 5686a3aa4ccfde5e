package blackbox

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A bucket is CloudFormation's response bucket behind a proxy, as a function in a closed network
// reaches it. The proxy connects to the bucket for each of the bucket's real hosts, and records and
// refuses every other host. The bucket checks signatures, methods and lengths as Amazon S3 does, in
// both signature versions, and keeps every body that it accepts.
//
// It supports only PUT: no GET, no other buckets, no HTTP/2 (S3 has none), and no
// Expect: 100-continue beyond what net/http does.
type bucket struct {
	proxyURL string
	hosts    []string // of this bucket
	latency  time.Duration
	offline  func() bool // whether there is no network now
	hanging  func() bool // whether S3 gives no answers now

	done chan struct{}
	tls  chan net.Conn

	mu             sync.Mutex
	faults         []fault             // of the requests, in their order; nil is none
	connects       []fault             // of the connections, likewise
	requestedHosts []string            // by the proxy's clients, with the scheme if the method was not CONNECT
	stored         map[string][]string // bodies by key, in order
	refused        []string            // what S3 refused, and why
	received       int                 // requests that reached S3
}

// setFaults sets the faults from now on, and resets the counters.
func (b *bucket) setFaults(faults, connects []fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults, b.connects, b.received, b.requestedHosts = faults, connects, 0, nil
}

// hostsOf returns the host names of CloudFormation's response bucket in a region, as
// they occur in events.
func hostsOf(region string) []string {
	name := "cloudformation-custom-resource-response-" + strings.ReplaceAll(region, "-", "")
	s3 := ".s3-" + region
	if region == "us-east-1" {
		s3 = ".s3"
	}
	suffix := "." + engine.PartitionOf(region).Suffix
	return []string{name + s3 + suffix, name + ".s3." + region + suffix}
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
	inner := tls.NewListener(connListener{b, listener.Addr()}, &tls.Config{
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

// proxy handles the proxy's requests. A CONNECT to a host of the bucket reaches the bucket.
func (b *bucket) proxy(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if r.Method != http.MethodConnect {
		host = r.URL.Scheme + "://" + r.Host
	}
	b.mu.Lock()
	serve := faultAt(b.connects, len(b.requestedHosts))
	b.requestedHosts = append(b.requestedHosts, host)
	b.mu.Unlock()
	if b.offline() {
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
		conn = &delayedConn{Conn: conn, delay: b.latency}
	}
	select {
	case b.tls <- conn:
	case <-b.done:
		_ = conn.Close()
	}
}

// serve handles the bucket's requests.
func (b *bucket) serve(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	serve := faultAt(b.faults, b.received)
	b.received++
	b.mu.Unlock()
	if b.hanging() {
		hangs(b, w, r)
		return
	}
	if serve != nil {
		serve(b, w, r)
		return
	}
	b.put(w, r)
}

// put stores the body and answers as S3 does without a fault.
func (b *bucket) put(w http.ResponseWriter, r *http.Request) {
	if err := b.store(r); err != nil {
		b.refuse(w, err)
		return
	}
	w.Header().Set("ETag", `"9b2cf535f27731c974343645a3985328"`)
	w.WriteHeader(http.StatusOK)
}

// store stores the body of r, or returns the error that S3 would return.
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

// refuse answers with an error document as S3 does.
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

// answers returns the bodies stored under a key.
func (b *bucket) answers(key string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.stored[key])
}

// otherHosts returns the requested hosts that are not the bucket's.
func (b *bucket) otherHosts() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.requestedHosts), func(host string) bool {
		name, port, _ := net.SplitHostPort(host)
		return port == "443" && slices.Contains(b.hosts, name)
	})
}

// networkUse describes the requests that reached the network. It is "" if there were none.
func (b *bucket) networkUse() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requestedHosts) == 0 && b.received == 0 {
		return ""
	}
	return fmt.Sprintf("hosts %q, %d requests", b.requestedHosts, b.received)
}

// A connListener is a listener for the connections that the proxy passes on.
type connListener struct {
	b    *bucket
	addr net.Addr
}

func (l connListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.b.tls:
		return conn, nil
	case <-l.b.done:
		return nil, net.ErrClosed
	}
}
func (l connListener) Close() error   { return nil }
func (l connListener) Addr() net.Addr { return l.addr }

// A delayedConn is a connection that delays each read and write.
type delayedConn struct {
	net.Conn
	delay time.Duration
}

func (c *delayedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	<-time.After(c.delay)
	return n, err
}

func (c *delayedConn) Write(p []byte) (int, error) {
	<-time.After(c.delay)
	return c.Conn.Write(p)
}

// An authority is a certificate authority for one run of the tests. It issues a
// certificate for every name. The proxy decides which names can be reached.
type authority struct {
	// file holds the authority's certificate, for SSL_CERT_FILE.
	file string

	cert *x509.Certificate
	key  *ecdsa.PrivateKey

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

var testAuthority = sync.OnceValues(newAuthority)

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "black-box test authority"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		return nil, err
	}
	return &authority{file: file, cert: cert, key: key, issued: map[string]*tls.Certificate{}}, nil
}

// certificate is a tls.Config's GetCertificate.
func (a *authority) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := hello.ServerName
	if cert := a.issued[name]; cert != nil {
		return cert, nil
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(a.issued) + 2)),
		DNSNames:     []string{name},
		NotBefore:    a.cert.NotBefore,
		NotAfter:     a.cert.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	cert := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.issued[name] = cert
	return cert, nil
}

func mustAuthority(t testing.TB) *authority {
	t.Helper()
	a, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}
