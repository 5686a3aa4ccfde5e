package response

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A StatusError is a response that refuses the answer.
type StatusError struct {
	StatusCode int
	Code       string // S3's error code, such as AccessDenied, or ""
}

// Error returns the status and what is known of the reason.
func (e *StatusError) Error() string {
	reason := cmp.Or(e.Code, http.StatusText(e.StatusCode), "(unknown status)")
	return fmt.Sprintf("%d %s", e.StatusCode, reason)
}

// A networkError is an attempt that has no response.
type networkError struct {
	err     error
	connect bool // there was no connection
}

func (e *networkError) Error() string { return e.err.Error() }
func (e *networkError) Unwrap() error { return e.err }

// bodyTimedOut is S3's answer to a request whose body did not arrive in time. The AWS SDKs retry it.
var bodyTimedOut = StatusError{http.StatusBadRequest, "RequestTimeout"}

// temporary reports whether another attempt can help.
func temporary(err error) bool {
	if status, ok := errors.AsType[*StatusError](err); ok {
		switch status.StatusCode {
		case http.StatusRequestTimeout, http.StatusTooManyRequests:
			return true
		default:
			return status.StatusCode >= 500 || *status == bodyTimedOut
		}
	}
	_, lost := errors.AsType[*networkError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return lost && !untrusted
}

// A tunnelError is the status with which a proxy refused a tunnel. The text
// beside it is the proxy's, and may hold anything.
type tunnelError int

func (e tunnelError) Error() string {
	return fmt.Sprintf("the proxy answered CONNECT with status %d", int(e))
}

// lostConnection describes why there is no connection. It gives no text of an error that it does not
// know: after a reply that is not HTTP, the text quotes the proxy, and for a proxy that cannot be used,
// it has the proxy's address, password and all.
func lostConnection(err error) error {
	var (
		op        *net.OpError
		untrusted *tls.CertificateVerificationError
		notTLS    tls.RecordHeaderError
		refused   tunnelError
	)
	switch {
	case errors.As(err, &op):
		return op
	case errors.As(err, &untrusted):
		return untrusted
	case errors.As(err, &notTLS):
		return errors.New("the other side does not speak TLS")
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed while it was being opened")
	}
	return errors.New("it broke while it was being opened, the proxy's reply was not HTTP, or HTTPS_PROXY is not a proxy's address")
}

// lostResponse describes why a request has no response. It gives no text of an error that it does not
// know: for a malformed response, the text quotes the other side, which can quote the request.
func lostResponse(ctx context.Context, err error, after time.Duration) error {
	// The end of the time comes first: it may show itself as any other error of the connection.
	op, failed := errors.AsType[*net.OpError](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("no response within %v: %w", after.Round(time.Millisecond), ctx.Err())
	case failed:
		return op
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed before the response")
	}
	return errors.New("the connection broke, or the response was not HTTP")
}

// maxCode is longer than any of S3's error codes.
const maxCode = 64

// errorCode returns the Code of S3's error document, or "".
func errorCode(document []byte) string {
	_, afterTag, _ := strings.Cut(string(document), "<Code>")
	code, _, found := strings.Cut(afterTag, "</Code>")
	// A proxy may answer in S3's place: what is no code may be anything, and stays out of the error.
	notLetter := func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
	isCode := found && len(code) <= maxCode
	if !isCode || strings.ContainsFunc(code, notLetter) {
		return ""
	}
	return code
}

// advice says what to do about an error.
func (s *HTTPSender) advice(to *url.URL, err error) string {
	if !s.allowed[origin(to)] {
		return "" // nothing is known of a listed host
	}
	network, lost := errors.AsType[*networkError](err)
	status, refused := errors.AsType[*StatusError](err)
	switch {
	case lost && network.connect:
		return ": a function in a VPC needs a route to S3, through a gateway endpoint whose policy allows the response bucket or through a NAT gateway"
	case !refused:
		return ""
	case status.Code == "SignatureDoesNotMatch":
		return ": something on the way to S3, such as a proxy, changes requests"
	case status.StatusCode == http.StatusForbidden:
		return ": the URL has expired, two hours after the request, or the policy of a VPC endpoint does not allow s3:PutObject on the response bucket"
	}
	return ""
}
