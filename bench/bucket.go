package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

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
