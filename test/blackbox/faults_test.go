package blackbox

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
)

// A fault handles a request or a CONNECT in place of the bucket.
type fault func(b *bucket, w http.ResponseWriter, r *http.Request)

// faultAt returns the fault with index n, or nil if there is none.
func faultAt(faults []fault, n int) fault {
	if n < len(faults) {
		return faults[n]
	}
	return nil
}

// times is n times the same fault.
func times(n int, f fault) []fault { return slices.Repeat([]fault{f}, n) }

// s3Fails returns a fault that answers with an error of S3 and stores nothing.
func s3Fails(status int, code string) fault {
	return func(b *bucket, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		b.refuse(w, &s3Error{status, code, "a fault of this test"})
	}
}

// slowDown throttles as S3 does, with a Retry-After header.
func slowDown(b *bucket, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "0")
	s3Fails(http.StatusServiceUnavailable, "SlowDown")(b, w, r)
}

// resets reads the request and breaks the connection.
func resets(_ *bucket, w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	reset(w)
}

// losesAnswer stores the body, and resets the connection instead of answering.
func losesAnswer(b *bucket, w http.ResponseWriter, r *http.Request) {
	if err := b.store(r); err != nil {
		b.refuse(w, err)
		return
	}
	reset(w)
}

// hangs reads the request and never answers.
func hangs(b *bucket, _ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	select {
	case <-r.Context().Done():
	case <-b.done:
	}
}

// storesAndHangs stores the body and never answers.
func storesAndHangs(b *bucket, w http.ResponseWriter, r *http.Request) {
	if err := b.store(r); err != nil {
		b.refuse(w, err)
		return
	}
	hangs(b, w, r)
}

// closesAfter returns a fault that stores the body if stores is set, sends text instead
// of an answer, and closes the connection.
func closesAfter(text string, stores bool) fault {
	return func(b *bucket, w http.ResponseWriter, r *http.Request) {
		if stores {
			if err := b.store(r); err != nil {
				b.refuse(w, err)
				return
			}
		} else {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		conn := hijack(w)
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// redirects returns a fault that redirects to another host, with a status that keeps
// the method and the body.
func redirects(host string) fault {
	return func(_ *bucket, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Location", host+r.RequestURI)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

// connectHangs accepts a CONNECT and never answers it.
func connectHangs(b *bucket, w http.ResponseWriter, _ *http.Request) {
	conn := hijack(w)
	<-b.done
	_ = conn.Close()
}

// connectResets resets the connection of a CONNECT.
func connectResets(_ *bucket, w http.ResponseWriter, _ *http.Request) { reset(w) }

// badGateway answers as a proxy that cannot reach S3.
func badGateway(_ *bucket, w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusBadGateway)
}

// noTLS answers the CONNECT and then sends something other than TLS.
func noTLS(_ *bucket, w http.ResponseWriter, _ *http.Request) {
	conn := hijack(w)
	_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
	_ = conn.Close()
}

func hijack(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	return conn
}

// reset closes a connection with a TCP reset.
func reset(w http.ResponseWriter) {
	conn := hijack(w)
	inner := conn
	if c, ok := inner.(*tls.Conn); ok {
		inner = c.NetConn()
	}
	if c, ok := inner.(*delayedConn); ok {
		inner = c.Conn
	}
	if c, ok := inner.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	_ = inner.Close()
}
