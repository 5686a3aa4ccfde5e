// Package sigv4 verifies that a request was signed with a key pair of ours, as AWS's
// services do (AWS General Reference, "Signature Version 4").
package sigv4

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Skew is how far a request's time may be from ours, as at AWS.
const Skew = 15 * time.Minute

// Why a request is not taken. They do not say which part of a signature is wrong.
var (
	ErrUnsigned  = errors.New("the request is not signed")
	ErrMalformed = errors.New("the Authorization or the X-Amz-Date of the request cannot be read")
	ErrKey       = errors.New("the request is signed with another access key")
	ErrTime      = errors.New("the request's time is too far from this machine's")
	ErrSignature = errors.New("the signature is not that of the request")
)

// A Key is a pair of an access key and its secret.
type Key struct{ ID, Secret string }

// NewKey makes a Key at random.
func NewKey() Key { return Key{"AKIA" + rand.Text()[:16], rand.Text() + rand.Text()} }

// authorization is compiled when it is needed: that takes 2 ms, and most commands start no API.
var authorization = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([A-Za-z0-9]{1,128})/(\d{8})/([a-z0-9-]{1,64})/([a-z0-9-]{1,64})/aws4_request, ?SignedHeaders=([a-z0-9;-]{1,1000}), ?Signature=([0-9a-f]{64})$`)
})

const amzDate = "20060102T150405Z"

// Verify reports why a request with a body is not taken as signed by the key for a
// service, at a time; nil if it is.
func (k Key) Verify(r *http.Request, body []byte, service string, now time.Time) error {
	header := r.Header.Get("Authorization")
	if header == "" {
		return ErrUnsigned
	}
	parts := authorization().FindStringSubmatch(header)
	at, err := time.Parse(amzDate, r.Header.Get("X-Amz-Date"))
	if parts == nil || err != nil || parts[2] != at.Format("20060102") || parts[4] != service {
		return ErrMalformed
	}
	if parts[1] != k.ID {
		return ErrKey
	}
	if at.Sub(now).Abs() > Skew {
		return ErrTime
	}

	// It is signed anew, over the headers that were signed.
	signed := strings.Split(parts[5], ";")
	again := &http.Request{Method: r.Method, Host: r.Host, Header: http.Header{}, URL: &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}}
	for _, name := range signed {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	if !slices.Contains(signed, "host") || !slices.Contains(signed, "x-amz-date") { // where and when it goes
		return ErrMalformed
	}
	sum := sha256.Sum256(body)
	err = v4.NewSigner().SignHTTP(context.Background(), aws.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret}, again, hex.EncodeToString(sum[:]), service, parts[3], at)
	if err != nil {
		return ErrMalformed
	}
	ours := authorization().FindStringSubmatch(again.Header.Get("Authorization"))
	if ours == nil || ours[5] != parts[5] || subtle.ConstantTimeCompare([]byte(ours[6]), []byte(parts[6])) != 1 {
		return ErrSignature
	}
	return nil
}
