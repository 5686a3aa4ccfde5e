package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
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

// skew is how far a request's time may be from ours, as at AWS.
const skew = 15 * time.Minute

// The errors for an order that the key has not signed. Codes and statuses are AWS's common ones. They do
// not say which part of a signature is wrong.
var (
	errUnsigned   = &RefusalError{http.StatusForbidden, "MissingAuthenticationToken", "Request is missing Authentication Token"}
	errUnreadable = &RefusalError{http.StatusBadRequest, "IncompleteSignature", "The request signature does not conform to AWS standards."}
	errKey        = &RefusalError{http.StatusForbidden, "InvalidClientTokenId", "The security token included in the request is invalid: cfnlocal serve prints another key each time that it starts."}
	errTime       = &RefusalError{http.StatusBadRequest, "RequestExpired", "The request's time is more than 15 minutes from this machine's."}
	errSignature  = &RefusalError{http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method."}
)

// A Key is an access key and its secret, with which clients sign their orders as AWS has it (AWS
// General Reference, "Signature Version 4").
type Key struct{ ID, Secret string }

// NewKey makes a Key at random.
func NewKey() Key { return Key{"AKIA" + rand.Text()[:16], rand.Text() + rand.Text()} }

// authorization is compiled when it is needed: that takes 2 ms, and most commands start no API.
var authorization = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([A-Za-z0-9]{1,128})/(\d{8})/([a-z0-9-]{1,64})/([a-z0-9-]{1,64})/aws4_request, ?SignedHeaders=([a-z0-9;-]{1,1000}), ?Signature=([0-9a-f]{64})$`)
})

const amzDate = "20060102T150405Z"

// verify returns nil if the key signed a request with a body for a service, at about now, and
// otherwise the reason for rejecting it.
func (k Key) verify(r *http.Request, body []byte, service string, now time.Time) error {
	header := r.Header.Get("Authorization")
	if header == "" {
		return errUnsigned
	}
	parts := authorization().FindStringSubmatch(header)
	at, err := time.Parse(amzDate, r.Header.Get("X-Amz-Date"))
	if parts == nil || err != nil || parts[2] != at.Format("20060102") || parts[4] != service {
		return errUnreadable
	}
	if parts[1] != k.ID {
		return errKey
	}
	if at.Sub(now).Abs() > skew {
		return errTime
	}

	// Sign the request again, over the headers that the client signed.
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
		return errUnreadable
	}

	// The two signatures must be equal.
	sum := sha256.Sum256(body)
	err = v4.NewSigner().SignHTTP(context.Background(), aws.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret}, again, hex.EncodeToString(sum[:]), service, parts[3], at)
	if err != nil {
		return errUnreadable
	}
	ours := authorization().FindStringSubmatch(again.Header.Get("Authorization"))
	if ours == nil || ours[5] != parts[5] || subtle.ConstantTimeCompare([]byte(ours[6]), []byte(parts[6])) != 1 {
		return errSignature
	}
	return nil
}
