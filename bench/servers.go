package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A relay is a network between loopback and a server: what goes through it arrives oneWay later,
// and a connection takes a round trip to be made. The kernel makes loopback connections at once, so
// the relay lets what the client sends first wait for the time that it would still be connecting.
type relay struct {
	net.Listener
	oneWay time.Duration
	to     string
	wg     sync.WaitGroup
}

func newRelay(ctx context.Context, to string, oneWay time.Duration) (*relay, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{Listener: l, oneWay: oneWay, to: to}
	r.wg.Go(func() { r.serve(ctx) })
	return r, nil
}

// host returns the relay's HOST:PORT.
func (r *relay) host() string { return r.Addr().String() }

// stop ends the relay once its connections have ended.
func (r *relay) stop() {
	_ = r.Close()
	r.wg.Wait()
}

func (r *relay) serve(ctx context.Context) {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		server, err := new(net.Dialer).DialContext(ctx, "tcp", r.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		connected := time.Now().Add(2 * r.oneWay)
		r.wg.Go(func() { r.forward(server, client, connected) })
		r.wg.Go(func() { r.forward(client, server, connected) })
	}
}

// A delayedBytes is data that the relay delivers when it is due.
type delayedBytes struct {
	data []byte
	due  time.Time
}

// forward takes what from sends, not before the connection is made, and hands it
// over when it is due. Much can be on its way at once.
func (r *relay) forward(to, from net.Conn, connected time.Time) {
	way := make(chan delayedBytes, 256)
	r.wg.Go(func() {
		defer func() { _ = to.Close() }()
		for c := range way {
			<-time.After(time.Until(c.due))
			if _, err := to.Write(c.data); err != nil {
				break
			}
		}
		for range way { // nobody reads it
		}
	})
	for {
		data := make([]byte, 16<<10)
		n, err := from.Read(data)
		sent := time.Now()
		if sent.Before(connected) {
			sent = connected
		}
		if n > 0 {
			way <- delayedBytes{data[:n], sent.Add(r.oneWay)}
		}
		if err != nil {
			if err != io.EOF {
				_ = to.Close()
			}
			close(way)
			return
		}
	}
}

// A runtimeAPI is the part of Lambda that a function asks for work, for one function at a time.
type runtimeAPI struct {
	*httptest.Server
	requests chan time.Time // when the function asked for work
	payloads chan []byte    // what it gets
	ended    chan struct{}
}

func newRuntimeAPI() *runtimeAPI {
	a := &runtimeAPI{requests: make(chan time.Time, 1), payloads: make(chan []byte), ended: make(chan struct{})}
	a.Server = httptest.NewServer(a)
	return a
}

// host returns the API's HOST:PORT.
func (a *runtimeAPI) host() string { return a.Listener.Addr().String() }

func (a *runtimeAPI) stop() {
	close(a.ended)
	a.Close()
}

// waitForRequest waits until the function asks for work, and returns when it did.
func (a *runtimeAPI) waitForRequest(ctx context.Context) (time.Time, error) {
	select {
	case at := <-a.requests:
		return at, nil
	case <-time.After(timeout):
		return time.Time{}, errors.New("the function does not ask for work")
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

// send gives the function that asks for work an event.
func (a *runtimeAPI) send(ctx context.Context, payload []byte) error {
	select {
	case a.payloads <- payload:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/invocation/next") { // the outcome, which nobody here needs
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select {
	case a.requests <- time.Now():
	case <-r.Context().Done():
		return
	}
	select {
	case payload := <-a.payloads:
		h := w.Header()
		h.Set("Lambda-Runtime-Aws-Request-Id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd")
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(timeout).UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-west-2:123456789012:function:bench")
		_, _ = w.Write(payload)
	case <-r.Context().Done(): // it was ended
	case <-a.ended:
	}
}

// A bucket stands for CloudFormation's response bucket: a TLS server on loopback that takes any
// answer without looking at it. It speaks HTTP/1.1, as Amazon S3 does, and keeps connections open;
// what wants a new one closes its own. Its certificates are of S3's kind.
type bucket struct {
	*httptest.Server
	// answers counts what was taken.
	answers atomic.Int64
}

func newBucket(dir string) (*bucket, error) {
	server, root, err := s3Certificates()
	if err != nil {
		return nil, err
	}
	// This process and its children find the root here: crypto/x509 reads it when it
	// first needs it, which is later.
	caFile := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(caFile, root, 0o600); err != nil {
		return nil, err
	}
	if err := os.Setenv("SSL_CERT_FILE", caFile); err != nil {
		return nil, err
	}
	b := new(bucket)
	b.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Method != http.MethodPut || r.Header.Get("Content-Type") != "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		b.answers.Add(1)
	}))
	b.Config.ReadHeaderTimeout = 10 * time.Second // ends connections that were opened and never used
	b.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	b.TLS = &tls.Config{Certificates: []tls.Certificate{server}, MinVersion: tls.VersionTLS12}
	b.StartTLS()
	return b, nil
}

// host returns the bucket's HOST:PORT.
func (b *bucket) host() string { return b.Listener.Addr().String() }

// events counts those that were made: none is like another, since an event that
// comes twice is answered from memory.
var events int

// event returns a Create request whose answer goes to host, and its URL.
func event(host string) (payload []byte, responseURL string) {
	events++
	responseURL = fmt.Sprintf("https://%s/arn%%3Aaws%%3Acloudformation%%3Aus-west-2%%3A123456789012%%3Astack/bench/51af3dc0-da77-11e4-872e-1234567db123%%7CThing%%7C%08d"+
		"?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=%s&X-Amz-SignedHeaders=host&X-Amz-Expires=7200"+
		"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%%2F20261120%%2Fus-west-2%%2Fs3%%2Faws4_request&X-Amz-Signature=%064d",
		host, events, time.Now().UTC().Format("20060102T150405Z"), events)
	return fmt.Appendf(nil, `{
		"RequestType": "Create",
		"ServiceToken": "arn:aws:lambda:us-west-2:123456789012:function:bench",
		"ResponseURL": %q,
		"StackId": "arn:aws:cloudformation:us-west-2:123456789012:stack/bench/51af3dc0-da77-11e4-872e-1234567db123",
		"RequestId": "7b7b9d2e-0000-4000-8000-%012d",
		"LogicalResourceId": "Thing%d",
		"ResourceType": "Custom::Subscription",
		"ResourceProperties": {
			"ServiceToken": "arn:aws:lambda:us-west-2:123456789012:function:bench",
			"Topic": "orders",
			"Endpoint": "https://example.com/hook",
			"Active": "true",
			"Days": "14",
			"Tags": {"team": "payments", "stage": "production"}
		}
	}`, responseURL, events, events), responseURL
}

// An authority is a certificate and its key, which can sign others.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// s3Certificates returns a server's certificates as Amazon S3 has them, and their
// root: keys of 2048 bits RSA, and one authority between server and root. A
// handshake with S3 that was recorded has them: signalwire/freeswitch issue
// 1985, whose server's certificate names crl.r2m01.amazontrust.com.
func s3Certificates() (server tls.Certificate, root []byte, err error) {
	var chain [3]authority
	for i, name := range []string{"root", "authority", "server"} {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return server, nil, err
		}
		if chain[i], err = newAuthority(name, key, chain[max(0, i-1)]); err != nil {
			return server, nil, err
		}
	}
	return tls.Certificate{Certificate: [][]byte{chain[2].cert.Raw, chain[1].cert.Raw}, PrivateKey: chain[2].key}, encode(chain[0]), nil
}

// newAuthority returns a certificate that is signed by another, or by itself if that is none.
func newAuthority(name string, key crypto.Signer, by authority) (authority, error) {
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "bench " + name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if by.cert == nil {
		by = authority{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	if err != nil {
		return authority{}, err
	}
	cert, err := x509.ParseCertificate(der)
	return authority{cert, key}, err
}

func encode(a authority) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}
