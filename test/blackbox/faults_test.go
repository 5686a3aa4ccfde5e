package blackbox

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
)

// A fault answers a request, or a CONNECT, in place of the bucket.
type fault func(b *bucket, w http.ResponseWriter, r *http.Request)

// nth is the fault number n, or nil: all is well.
func nth(faults []fault, n int) fault {
	if n < len(faults) {
		return faults[n]
	}
	return nil
}

// times is n times the same fault.
func times(n int, f fault) []fault { return slices.Repeat([]fault{f}, n) }

// fails is an error of S3, which stores nothing.
func fails(status int, code string) fault {
	return func(b *bucket, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		b.refuse(w, &s3Error{status, code, "a fault of this test"})
	}
}

// slowDown is S3's throttling, with the header that asks for patience.
func slowDown(b *bucket, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "0")
	fails(http.StatusServiceUnavailable, "SlowDown")(b, w, r)
}

// resets reads the request and breaks the connection.
func resets(_ *bucket, w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	reset(w)
}

// losesAnswer stores the body, and breaks the connection instead of saying so.
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

// cuts stores the body, if it is to, sends text instead of an answer and ends
// the connection.
func cuts(text string, stores bool) fault {
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

// redirects sends the client to another host, with a status that keeps method and body.
func redirects(host string) fault {
	return func(_ *bucket, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Location", host+r.RequestURI)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

// hangsUp takes a CONNECT and never answers it.
func hangsUp(b *bucket, w http.ResponseWriter, _ *http.Request) {
	conn := hijack(w)
	<-b.done
	_ = conn.Close()
}

// breaks resets the connection that a CONNECT came on.
func breaks(_ *bucket, w http.ResponseWriter, _ *http.Request) { reset(w) }

// badGateway is a proxy that has no way to S3.
func badGateway(_ *bucket, w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusBadGateway)
}

// noTLS answers the CONNECT and then speaks something else than TLS.
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

// reset breaks a connection so that the other side reads a reset.
func reset(w http.ResponseWriter) {
	conn := hijack(w)
	inner := conn
	if c, ok := inner.(*tls.Conn); ok {
		inner = c.NetConn()
	}
	if c, ok := inner.(*distant); ok {
		inner = c.Conn
	}
	if c, ok := inner.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	_ = inner.Close()
}
