package response

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	connectTime = 10 * time.Second
	// maxIdle is for how long an unused connection is trusted. Its other side
	// may close it, and a process that Lambda has frozen does not hear of it.
	maxIdle = 30 * time.Second
	// idleConns is how many connections are kept for each host.
	idleConns = 4
)

// An idleConn is a connection without a request on it.
type idleConn struct {
	*http.ClientConn
	since time.Time // by the wall clock, which goes on while Lambda freezes the process
}

// usable reports whether a request may be tried on the connection.
func (c idleConn) usable() bool {
	return c.Err() == nil && time.Now().Round(0).Sub(c.since) < maxIdle
}

func newTransport() *http.Transport {
	var http1 http.Protocols
	http1.SetHTTP1(true)
	return &http.Transport{
		Protocols:          &http1,
		DisableCompression: true,
		Proxy:              http.ProxyFromEnvironment,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			if resp.StatusCode != http.StatusOK {
				return tunnelError(resp.StatusCode)
			}
			return nil
		},
	}
}

// Connect opens a connection for the next answer to the URL's host, through the proxy and the TLS
// handshake, unless one is ready. The answer then costs one round trip. Called while the handler
// works, it finds out early that the function has no route to S3. It gives up when ctx ends, and
// after ten seconds. A Send that comes meanwhile waits for the connection.
//
// A connection that dies before it is used costs the answer no attempt.
func (s *HTTPSender) Connect(ctx context.Context, url URL) error {
	if err := s.Check(url); err != nil {
		return err
	}
	to := url.get()
	opened := s.open(origin(to))
	if opened == nil {
		return nil
	}
	defer opened()
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := s.dial(ctx, to)
	if err != nil {
		return fmt.Errorf("response: %w%s", err, s.advice(to, err))
	}
	s.keep(origin(to), conn)
	return nil
}

func (s *HTTPSender) dial(ctx context.Context, to *url.URL) (*http.ClientConn, error) {
	_, address, _ := strings.Cut(origin(to), "://")
	conn, err := s.transport.NewClientConn(ctx, to.Scheme, address)
	if err != nil {
		return nil, &networkError{connect: true, err: fmt.Errorf("no connection to %s: %w", to.Host, lostConnection(err))}
	}
	return conn, nil
}

// open announces that a connection is being opened, and returns a function that ends
// that; nil if one is kept, or being opened already.
func (s *HTTPSender) open(origin string) (opened func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.usable(origin)) > 0 || s.opening[origin] != nil {
		return nil
	}
	done := make(chan struct{})
	s.opening[origin] = done
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.opening, origin)
		close(done)
	}
}

// take returns a connection that is kept, which is the caller's from now on,
// or nil. It waits for one that is being opened: another would not be sooner.
func (s *HTTPSender) take(ctx context.Context, origin string) *http.ClientConn {
	s.mu.Lock()
	done := s.opening[origin]
	s.mu.Unlock()
	if done != nil {
		// Half of the attempt's time: a connection that hangs must leave some for another.
		deadline, _ := ctx.Deadline()
		select {
		case <-done:
		case <-time.After(time.Until(deadline) / 2):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	conns := s.usable(origin)
	if len(conns) == 0 {
		return nil
	}
	last := len(conns) - 1
	s.idle[origin] = conns[:last]
	return conns[last].ClientConn
}

// usable returns the usable connections and closes the others. s.mu is held.
func (s *HTTPSender) usable(origin string) []idleConn {
	s.idle[origin] = slices.DeleteFunc(s.idle[origin], func(c idleConn) bool {
		if c.usable() {
			return false
		}
		c.Close()
		return true
	})
	return s.idle[origin]
}

// keep keeps a connection that has no request on it, in the place of the oldest
// if there are enough.
func (s *HTTPSender) keep(origin string, conn *http.ClientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	conns := s.idle[origin]
	if len(conns) == idleConns {
		conns[0].Close()
		conns = slices.Delete(conns, 0, 1)
	}
	s.idle[origin] = append(conns, idleConn{conn, time.Now().Round(0)})
}

// CloseIdleConnections closes the connections that are kept for later answers.
func (s *HTTPSender) CloseIdleConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for origin, conns := range s.idle {
		for _, conn := range conns {
			conn.Close()
		}
		delete(s.idle, origin)
	}
}
