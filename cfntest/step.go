package cfntest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Step marks a place at which the process may die, or the service fail or hang.
// A test's fake service calls it before and after each effect, and before each
// read, so that reads fail, too. For a real client, see [Steps]. It does
// nothing unless this package or registrytest plays the handler, and ctx is the
// handler's, or derived from it.
//
// Once ctx has ended, Step returns its cause, as a client does: a service that
// ignored ctx would be kinder than a real one. TestHandler reports a method
// that passes on another context than its own.
//
// In virtual time a Step takes no time, so a method that tries again without a pause would never come to the end of its
// context: after 100,000 Steps at one instant, each later one of the invocation takes 10 ms.
//
// If Step returns an error before an effect, the service fails without the effect; an error after
// it is a lost reply. The error has a code only where the service denies the call or is busy. If
// the process is to die, Step does not return: it ends the calling goroutine (runtime.Goexit), as
// does every later Step of the same invocation. So do not call Step with a lock held that is not
// released by a deferred call.
func Step(ctx context.Context) error { return simulate.Step(ctx) }

// Steps returns a transport that is base with a [Step] before each request and
// one after each reply. A service that refuses for good replies with the status 403, and a busy
// one with 429. If base is nil, it is http.DefaultTransport.
func Steps(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return steps{base}
}

type steps struct{ base http.RoundTripper }

func (s steps) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := Step(req.Context()); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must
		}
		return failed(req, err)
	}
	res, err := s.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	returned := false
	defer func() {
		if !returned { // the process died, or the reply never came
			_ = res.Body.Close()
		}
	}()
	if err := Step(req.Context()); err != nil {
		return failed(req, err)
	}
	returned = true
	return res, nil
}

// failed is what a client gets of a Step that failed: no reply, 403 from a service that refuses, or 429 from a busy one.
func failed(req *http.Request, err error) (*http.Response, error) {
	statuses := map[cfnresource.Code]int{cfnresource.CodeAccessDenied: http.StatusForbidden, cfnresource.CodeThrottling: http.StatusTooManyRequests}
	status, replies := statuses[cfnresource.CodeOf(err)]
	if !replies {
		return nil, err
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader(http.StatusText(status))), // a status has no code that a client could lose
		Request:    req,
	}, nil
}
