package response

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

const (
	sendTime     = time.Minute      // for a Send whose context has no deadline
	maxAttempt   = 10 * time.Second // unless the options say otherwise
	minAttempt   = 200 * time.Millisecond
	firstPause   = 100 * time.Millisecond // between two attempts; it doubles
	maxPause     = 5 * time.Second
	leastLeft    = 20 * time.Millisecond // with less, another attempt is pointless
	maxRedirects = 3
	bodyTime     = 500 * time.Millisecond // for a response's body, after its header
	maxBody      = 64 << 10               // bytes read of a response's body
)

// An HTTPSender delivers answers over HTTP/1.1, as CloudFormation's signed URLs ask for it: a PUT
// without Content-Type, since the older kind of signature covers its absence, and with the URL's
// path as it was escaped. It uses the proxy that the environment names (HTTPS_PROXY, NO_PROXY). It
// is safe for concurrent use. Make it with [NewSender], once a process: it keeps a few connections
// for the next answers.
type HTTPSender struct {
	region         string
	allowed        allowList
	err            error
	transport      *http.Transport
	attemptTimeout time.Duration

	mu      sync.Mutex
	idle    map[string][]idleConn    // by origin
	opening map[string]chan struct{} // by origin; closed when a Connect has ended
}

var (
	_ Sender    = (*HTTPSender)(nil)
	_ Connector = (*HTTPSender)(nil)
)

// SenderOptions are the options of an [HTTPSender]. The zero value sends to CloudFormation alone.
type SenderOptions struct {
	// Hosts are more places that answers may go to: each is "HOST" or "HOST:PORT", over https, or
	// "http://HOST:PORT", where HOST is a loopback address.
	Hosts []string
	// AttemptTimeout is how long one attempt may take at most; 0 means ten seconds. Each may also
	// take no more than a third of the time that is left, so that there is time for another.
	AttemptTimeout time.Duration
}

// NewSender returns a sender to CloudFormation's response bucket of region, which must be the
// function's own (AWS_REGION), and to the hosts of the options. With an empty region, only those are
// allowed. [HTTPSender.Err] reports what it could not read.
func NewSender(region string, opts SenderOptions) *HTTPSender {
	allowed, err := newAllowList(region, opts.Hosts)
	if opts.AttemptTimeout < 0 {
		err = errors.Join(err, errors.New("response: SenderOptions.AttemptTimeout is negative: make it 0 or more"))
	}
	return &HTTPSender{
		region: region, allowed: allowed, err: err,
		attemptTimeout: cmp.Or(max(opts.AttemptTimeout, 0), maxAttempt),
		transport:      newTransport(),
		idle:           make(map[string][]idleConn),
		opening:        make(map[string]chan struct{}),
	}
}

// Send delivers body to url. Any 2xx status is delivery. It tries again, after a pause that grows,
// until ctx ends, or for a minute if ctx has no deadline: after network errors, after the statuses
// 408, 429 and 5xx, after 400 with S3's error code RequestTimeout, and after an attempt without a
// response, each of which may take a third of the time left and at most [SenderOptions].AttemptTimeout. Any other status
// ends it, as a [*StatusError], except 307 and 308: Send follows up to three such redirects to where
// [HTTPSender.Check] allows. A certificate that cannot be trusted ends it too.
func (s *HTTPSender) Send(ctx context.Context, url URL, body []byte) error {
	if err := s.Check(url); err != nil {
		return err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, sendTime)
		defer cancel()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("response: the answer was not sent: %w", context.Cause(ctx))
	}
	to, start := url.get(), time.Now()
	var last error
	pauses := guard.Backoff{First: firstPause, Last: maxPause}
	for n := 1; ; n++ {
		err := s.attempt(ctx, to, body)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil { // else the end of the time says less
			last = err
		}
		if temporary(err) && pause(ctx, &pauses) {
			continue
		}
		return fmt.Errorf("response: the answer did not reach %s (attempts: %d, in %v): %w%s",
			to.Host, n, time.Since(start).Round(time.Millisecond), last, s.advice(to, last))
	}
}

// attempt sends body once, following redirects.
func (s *HTTPSender) attempt(ctx context.Context, to *url.URL, body []byte) error {
	// An attempt that hangs must leave time for two more.
	deadline, _ := ctx.Deadline()
	limit := min(max(time.Until(deadline)/3, minAttempt), s.attemptTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for hop := 0; ; hop++ {
		resp, err := s.exchange(ctx, to, body)
		if err != nil {
			return err
		}
		if resp.status >= 200 && resp.status <= 299 {
			return nil
		}
		refusal := &StatusError{StatusCode: resp.status, Code: resp.code}
		if resp.status != http.StatusTemporaryRedirect && resp.status != http.StatusPermanentRedirect {
			return refusal
		}
		next, err := to.Parse(resp.location)
		if resp.location == "" || err != nil { // err's text holds the Location
			return fmt.Errorf("%w, without a usable Location", refusal)
		}
		if hop == maxRedirects {
			return fmt.Errorf("%w, after %d redirects", refusal, hop)
		}
		if err := s.Check(hide(next)); err != nil {
			return fmt.Errorf("%w, not followed: %w", refusal, err)
		}
		to = next
	}
}

// A reply is what matters of a response.
type reply struct {
	status   int
	code     string
	location string
}

// exchange sends body on a connection that is ready, or else on a new one.
func (s *HTTPSender) exchange(ctx context.Context, to *url.URL, body []byte) (reply, error) {
	at := origin(to)
	if conn := s.take(ctx, at); conn != nil {
		resp, err := s.put(ctx, conn, to, body)
		if err == nil {
			return resp, nil
		}
		// It had died unnoticed, as connections do while Lambda freezes the
		// process, and so have the others, very likely.
		s.CloseIdleConnections()
		if ctx.Err() != nil {
			return reply{}, err
		}
	}
	opened := s.open(at) // a Connect that comes late need not open another
	conn, err := s.dial(ctx, to)
	if opened != nil {
		opened()
	}
	if err != nil {
		return reply{}, err
	}
	return s.put(ctx, conn, to, body)
}

// put sends body on conn, and keeps conn or closes it.
func (s *HTTPSender) put(ctx context.Context, conn *http.ClientConn, to *url.URL, body []byte) (reply, error) {
	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://host", bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.URL, req.Host = to, to.Host // not by the URL's text: another escaping of the path breaks the signature
	resp, err := conn.RoundTrip(req)
	if err != nil {
		conn.Close()
		return reply{}, &networkError{err: lostResponse(ctx, err, time.Since(start))}
	}
	text, whole := readBody(resp, conn)
	if whole && !resp.Close {
		s.keep(origin(to), conn)
	} else {
		conn.Close()
	}
	return reply{resp.StatusCode, errorCode(text), resp.Header.Get("Location")}, nil
}

// readBody reads a response's body, and reports whether that was all of it. The status
// has been received: a body that hangs must not undo it, so conn is closed then.
func readBody(resp *http.Response, conn *http.ClientConn) (text []byte, whole bool) {
	if resp.Body == http.NoBody { // as S3 answers if it accepts
		return nil, true
	}
	timer := time.AfterFunc(bodyTime, func() { conn.Close() })
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	resp.Body.Close()
	return text, timer.Stop() && err == nil && len(text) <= maxBody
}

// pause waits before another attempt, and reports whether there is time for
// it. It never waits for more than half of the time left.
func pause(ctx context.Context, b *guard.Backoff) bool {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	return left >= leastLeft && guard.Sleep(ctx, min(b.Next(), left/2))
}
