package response

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A bucket answers raw HTTP on in-memory connections, so that time can be virtual. It answers the
// requests it reads with its replies in turn, the last one again and again. It knows no TLS, checks
// nothing, and reads requests with a Content-Length only.
type bucket struct {
	replies []string

	mu       sync.Mutex
	conns    int // opened
	open     []net.Conn
	requests []string // as they came
	times    []time.Time
}

// Replies that are none, or that are more than text.
const (
	hangs     = "hangs"      // reads the request, then does nothing
	closes    = "closes"     // reads the request, then closes: the acknowledgement is lost
	thenClose = "\x00closes" // ends a reply after which the connection is closed
	ok        = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
)

func status(line string, headers ...string) string {
	return "HTTP/1.1 " + line + "\r\n" + strings.Join(append(headers, "Content-Length: 0"), "\r\n") + "\r\n\r\n"
}

func s3Error(line, code string) string {
	doc := "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>c0ffee</Message></Error>"
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s", line, len(doc), doc)
}

const listed = "http://127.0.0.1:8080" // for the bucket's senders

// sender connects to the bucket, until the test ends.
func (b *bucket) sender(t *testing.T) *HTTPSender {
	t.Helper()
	s := NewSender("eu-west-1", SenderOptions{Hosts: []string{listed}})
	s.transport.DialContext = b.dial
	t.Cleanup(s.CloseIdleConnections)
	return s
}

func (b *bucket) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	b.mu.Lock()
	b.conns++
	b.open = append(b.open, server)
	b.mu.Unlock()
	go b.serve(server)
	return client, nil
}

// hangUp closes all connections from the bucket's side.
func (b *bucket) hangUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, conn := range b.open {
		conn.Close()
	}
	b.open = nil
}

func (b *bucket) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		request, err := readRaw(r)
		if err != nil {
			return
		}
		b.mu.Lock()
		reply := b.replies[min(len(b.requests), len(b.replies)-1)]
		b.requests = append(b.requests, request)
		b.times = append(b.times, time.Now())
		b.mu.Unlock()
		switch text, closing := strings.CutSuffix(reply, thenClose); {
		case reply == hangs:
			_, _ = r.ReadByte() // until the client gives up
			return
		case reply == closes:
			return
		default:
			if _, err := io.WriteString(conn, text); err != nil || closing {
				return
			}
		}
	}
}

// readRaw reads one request, unparsed.
func readRaw(r *bufio.Reader) (string, error) {
	var raw strings.Builder
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		raw.WriteString(line)
		if line == "\r\n" {
			break
		}
		_, _ = fmt.Sscanf(line, "Content-Length: %d", &length)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	raw.Write(body)
	return raw.String(), err
}

// The request is what CloudFormation signed, byte for byte.
func TestRequestOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{replies: []string{ok}}
		s := b.sender(t)
		if err := s.Send(t.Context(), mustParse(t, listed+pathEU+"?"+queryV2+"#fragment"), []byte(`{"é":1}`)); err != nil {
			t.Fatal(err)
		}
		header, body, _ := strings.Cut(b.requests[0], "\r\n\r\n")
		lines := strings.Split(header, "\r\n")
		if want := "PUT " + pathEU + "?" + queryV2 + " HTTP/1.1"; lines[0] != want {
			t.Errorf("request line %q, want %q", lines[0], want)
		}
		if body != `{"é":1}` {
			t.Errorf("body %q", body)
		}
		for _, want := range []string{"Host: 127.0.0.1:8080", "Content-Length: 8"} { // bytes, not characters
			if !strings.Contains(header+"\r\n", "\r\n"+want+"\r\n") {
				t.Errorf("no %q in:\n%s", want, header)
			}
		}
		for _, unwanted := range []string{"content-type", "transfer-encoding", "accept-encoding"} {
			if strings.Contains(strings.ToLower(header), "\r\n"+unwanted) {
				t.Errorf("%s in:\n%s", unwanted, header)
			}
		}
	})
}

func TestDelivery(t *testing.T) {
	const elsewhere = "https://evil.example/x?c0ffee"
	tests := []struct {
		name     string // the rule
		replies  []string
		requests int
		want     []string // in the error; none if delivered
	}{
		{"200 is delivery", []string{ok}, 1, nil},
		{"so is any 2xx", []string{status("204 No Content")}, 1, nil},
		{"a response's body is of no matter", []string{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc" + thenClose}, 1, nil},
		{"nor is one that hangs", []string{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, 1, nil},
		{"503 until it works", []string{s3Error("503 Slow Down", "SlowDown"), s3Error("503 Slow Down", "SlowDown"), s3Error("503 Slow Down", "SlowDown"), s3Error("503 Slow Down", "SlowDown"), ok}, 5, nil},
		{"500", []string{s3Error("500 Internal Server Error", "InternalError"), ok}, 2, nil},
		{"429", []string{status("429 Too Many Requests"), ok}, 2, nil},
		{"408", []string{status("408 Request Timeout"), ok}, 2, nil},
		{"a lost acknowledgement: the same again does no harm", []string{closes, ok}, 2, nil},
		{"a status line that is cut off", []string{"HTTP/1.1 20" + thenClose, ok}, 2, nil},
		{"a header that is cut off", []string{"HTTP/1.1 200 OK\r\nContent-Le" + thenClose, ok}, 2, nil},
		{"what is not HTTP", []string{"SSH-2.0-OpenSSH\r\n" + thenClose, ok}, 2, nil},
		{"a hung attempt leaves time for others", []string{hangs, hangs, ok}, 3, nil},

		{"403 is never tried again", []string{s3Error("403 Forbidden", "AccessDenied"), ok}, 1, []string{"403 AccessDenied", "attempts: 1"}},
		{"nor is another 4xx", []string{s3Error("400 Bad Request", "InvalidRequest"), ok}, 1, []string{"400 InvalidRequest"}},
		{"but 400 is, if S3 waited for the body in vain", []string{s3Error("400 Bad Request", "RequestTimeout"), ok}, 2, nil},
		{"which only the whole code says", []string{s3Error("400 Bad Request", "RequestTimeoutX"), ok}, 1, []string{"400 RequestTimeoutX"}},
		{"and not another status", []string{s3Error("403 Forbidden", "RequestTimeout"), ok}, 1, []string{"403 RequestTimeout"}},
		{"a code that is not one is left out", []string{s3Error("403 Forbidden", "X-Amz-Signature=c0ffee"), ok}, 1, []string{"403 Forbidden"}},
		{"a body that is not XML", []string{"HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nc0ffee", ok}, 1, []string{"403 Forbidden"}},
		{"503 to the end", []string{s3Error("503 Slow Down", "SlowDown")}, -1, []string{"503 SlowDown", "attempts: "}},
		{"a hung attempt to the end", []string{hangs}, -1, []string{"no response within", "attempts: "}},
		{"what echoes the request does not get it into the error", []string{"PUT " + pathEU + "?" + queryV4 + "\r\n\r\n" + thenClose}, -1, []string{"not HTTP"}},

		{"307 is followed to an allowed host, with the body", []string{status("307 Temporary Redirect", "Location: "+listed+"/b%3Ac?x=%7C"), ok}, 2, nil},
		{"308 too, also if relative", []string{status("308 Permanent Redirect", "Location: /b%3Ac?x=%7C"), ok}, 2, nil},
		{"no redirect leads out of the list", []string{status("307 Temporary Redirect", "Location: "+elsewhere), ok}, 1, []string{"307 Temporary Redirect, not followed", "https://evil.example"}},
		{"nor to the list without TLS", []string{status("307 Temporary Redirect", "Location: http://"+bucketEU+"/"), ok}, 1, []string{"not followed"}},
		{"301 would become a GET, and 200 to a GET delivers nothing", []string{status("301 Moved Permanently", "Location: "+listed+"/b"), ok}, 1, []string{"301 Moved Permanently"}},
		{"303 as well", []string{status("303 See Other", "Location: "+listed+"/b"), ok}, 1, []string{"303 See Other"}},
		{"a redirect to nowhere", []string{status("307 Temporary Redirect"), ok}, 1, []string{"usable Location"}},
		{"a redirect to what is no URL", []string{status("307 Temporary Redirect", "Location: https://%zz?c0ffee"), ok}, 1, []string{"usable Location"}},
		{"redirects end", []string{status("307 Temporary Redirect", "Location: /b")}, 4, []string{"after 3 redirects"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bucket{replies: tt.replies}
				s := b.sender(t)
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				start := time.Now()
				err := s.Send(ctx, mustParse(t, listed+pathEU+"?"+queryV4), []byte("answer"))
				if took := time.Since(start); tt.requests == 1 && took > bodyTime {
					t.Errorf("one attempt took %v", took)
				}
				synctest.Wait()
				if (err == nil) != (tt.want == nil) {
					t.Fatalf("Send: %v", err)
				}
				if err != nil {
					for _, want := range append(tt.want, "127.0.0.1:8080") {
						if !strings.Contains(err.Error(), want) {
							t.Errorf("the error does not say %q: %v", want, err)
						}
					}
					for _, secret := range []string{"c0ffee", "X-Amz"} {
						if all := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(all, secret) {
							t.Errorf("the error holds %q: %v", secret, all)
						}
					}
				}
				if tt.requests >= 0 && len(b.requests) != tt.requests {
					t.Errorf("%d requests, want %d", len(b.requests), tt.requests)
				}
				for _, request := range b.requests {
					if !strings.HasPrefix(request, "PUT /") || !strings.HasSuffix(request, "\r\n\r\nanswer") {
						t.Errorf("not the whole request each time: %s", request)
					}
				}
				if last := b.requests[len(b.requests)-1]; len(tt.replies) > 1 && strings.Contains(tt.replies[0], "b%3Ac?x=%7C") &&
					!strings.HasPrefix(last, "PUT /b%3Ac?x=%7C HTTP/1.1\r\n") {
					t.Errorf("redirected to %.40q", last)
				}
			})
		})
	}
}

func TestStatusErrorCanBeFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{replies: []string{s3Error("403 Forbidden", "SignatureDoesNotMatch")}}
		s := b.sender(t)
		err := s.Send(t.Context(), mustParse(t, listed+"/?"+queryV4), nil)
		var got *StatusError
		if !errors.As(err, &got) || *got != (StatusError{403, "SignatureDoesNotMatch"}) {
			t.Errorf("Send: %v", err)
		}
	})
}

// Attempts are spread over the time there is, and end with it.
func TestPacing(t *testing.T) {
	for _, tt := range []struct {
		name        string
		reply       string
		limit, took time.Duration
		least, most int
	}{
		{"503 for a minute, which is the limit without a deadline", status("503 Slow Down"), 0, time.Minute, 12, 40},
		{"503 for three seconds", status("503 Slow Down"), 3 * time.Second, 3 * time.Second, 5, 15},
		{"hanging for a minute", hangs, time.Minute, time.Minute, 5, 15},
		{"hanging for three seconds", hangs, 3 * time.Second, 3 * time.Second, 4, 12},
		{"hanging for half a second", hangs, 500 * time.Millisecond, 500 * time.Millisecond, 2, 5},
		{"hanging for a quarter of an hour", hangs, 15 * time.Minute, 15 * time.Minute, 60, 130},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bucket{replies: []string{tt.reply}}
				s := b.sender(t)
				ctx := t.Context()
				if tt.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				start := time.Now()
				if err := s.Send(ctx, mustParse(t, listed+"/?"+queryV4), nil); err == nil {
					t.Fatal("delivered")
				}
				if took := time.Since(start); took > tt.took || took < tt.took*9/10 {
					t.Errorf("it took %v, want just under %v", took, tt.took)
				}
				synctest.Wait()
				if n := len(b.requests); n < tt.least || n > tt.most {
					t.Errorf("%d attempts, want %d to %d", n, tt.least, tt.most)
				}
				for i := 1; i < len(b.times); i++ {
					if gap := b.times[i].Sub(b.times[i-1]); gap > maxAttempt+maxPause {
						t.Errorf("%v between the attempts %d and %d", gap, i-1, i)
					}
				}
				if first := b.times[1].Sub(b.times[0]); tt.reply != hangs && (first < firstPause/2 || first > firstPause) {
					t.Errorf("first pause: %v", first)
				}
			})
		})
	}
}

// A network that is slower than any that was thought of needs longer attempts, and one with a short
// time in all needs shorter ones, so that there are some.
func TestAttemptTimeout(t *testing.T) {
	for _, limit := range []time.Duration{2 * time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := &bucket{replies: []string{hangs, ok}}
			s := NewSender("eu-west-1", SenderOptions{Hosts: []string{listed}, AttemptTimeout: limit})
			s.transport.DialContext = b.dial
			t.Cleanup(s.CloseIdleConnections)
			start := time.Now()
			if err := s.Send(t.Context(), mustParse(t, listed+"/?"+queryV4), nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took < limit || took > limit+firstPause {
				t.Errorf("with %v for an attempt, the second one came after %v", limit, took)
			}
			synctest.Wait()
		})
	}
	if err := NewSender("eu-west-1", SenderOptions{AttemptTimeout: -1}).Err(); err == nil {
		t.Error("a negative time is no error")
	}
}

func TestCancelEndsSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{replies: []string{status("503 Slow Down"), hangs}}
		s := b.sender(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		start := time.Now()
		err := s.Send(ctx, mustParse(t, listed+"/?"+queryV4), nil)
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "503 Service Unavailable") {
			t.Errorf("the error tells the end of the time and not what went wrong: %v", err)
		}
		synctest.Wait()
		b.requests = nil
		if err := s.Send(ctx, mustParse(t, listed+"/?"+queryV4), nil); !errors.Is(err, context.Canceled) || len(b.requests) != 0 {
			t.Errorf("Send without time: %v, %d requests", err, len(b.requests))
		}
	})
}

func TestNothingIsSentToWhatIsNotAllowed(t *testing.T) {
	s := NewSender("eu-west-1", SenderOptions{})
	s.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		t.Error("a connection was opened")
		return nil, io.EOF
	}
	u := mustParse(t, "https://evil.example/?"+queryV4)
	for name, err := range map[string]error{"Send": s.Send(t.Context(), u, nil), "Connect": s.Connect(t.Context(), u)} {
		if err == nil || strings.Contains(err.Error(), "c0ffee") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoRouteSaysWhatToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSender("eu-west-1", SenderOptions{})
		s.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done() // as packets that nobody answers
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
		}
		u := mustParse(t, "https://"+bucketEU+pathEU+"?"+queryV4)
		start := time.Now()
		err := s.Connect(t.Context(), u)
		if took := time.Since(start); took != connectTime {
			t.Errorf("Connect took %v", took)
		}
		for name, err := range map[string]error{"Connect": err, "Send": s.Send(t.Context(), u, nil)} {
			if err == nil || !strings.Contains(err.Error(), "no connection to "+bucketEU) || !strings.Contains(err.Error(), "NAT gateway") || strings.Contains(err.Error(), "c0ffee") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A bucketTLS answers over TLS on the loopback interface.
func bucketTLS(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *HTTPSender) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true // which is not to be used
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	s := NewSender("", SenderOptions{Hosts: []string{server.Listener.Addr().String()}})
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	s.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	s.transport.TLSClientConfig.NextProtos = nil
	return server, s
}

func TestTLS(t *testing.T) {
	server, s := bucketTLS(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if r.TLS == nil || r.Proto != "HTTP/1.1" || r.RequestURI != pathEU+"?"+queryV4 || string(body) != "answer" || err != nil {
			http.Error(w, "", http.StatusTeapot)
		}
	})
	u := mustParse(t, server.URL+pathEU+"?"+queryV4)
	if err := s.Send(t.Context(), u, []byte("answer")); err != nil {
		t.Error(err)
	}
	s.CloseIdleConnections()
	s.transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	if err := s.Send(t.Context(), u, []byte("answer")); err == nil || !strings.Contains(err.Error(), "attempts: 1,") || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that cannot be trusted will not be, however often it is tried: %v", err)
	}
}

// A connection that is reset is a network error like any other.
func TestReset(t *testing.T) {
	var once sync.Once
	server, s := bucketTLS(t, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			if tcp, ok := conn.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
				_ = tcp.Close()
			}
		})
	})
	if err := s.Send(t.Context(), mustParse(t, server.URL+"/?"+queryV4), []byte("answer")); err != nil {
		t.Error(err)
	}
}
