package response

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnswerUsesTheConnectionThatIsReady(t *testing.T) {
	opened := 0
	server, s := bucketTLS(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
		}
	})
	s.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		opened++
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	u := mustParse(t, server.URL+"/?"+queryV4)
	for range 3 { // as in three invocations of a warm function
		if err := s.Connect(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		if err := s.Send(t.Context(), mustParse(t, server.URL+"/refused?"+queryV4), []byte("a")); err == nil {
			t.Fatal("delivered")
		}
		if err := s.Send(t.Context(), u, []byte("b")); err != nil {
			t.Fatal(err)
		}
	}
	if opened != 1 {
		t.Errorf("%d connections were opened, want 1", opened)
	}
}

// The connection that is ready can be dead without anyone having heard of it:
// Lambda freezes a process between invocations.
func TestDeadConnectionCostsNoPause(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replies []string
		die     func(*bucket, *HTTPSender)
		took    time.Duration
		conns   int
	}{
		{"alive", []string{ok}, func(*bucket, *HTTPSender) {}, 0, 2},
		{"closed by the other side before the answer", []string{ok}, func(b *bucket, _ *HTTPSender) { b.hangUp() }, 0, 3},
		{"found dead by the answer; the others then count as dead too", []string{closes, ok}, func(*bucket, *HTTPSender) {}, 0, 3},
		{"found silent by the answer", []string{hangs, ok}, func(*bucket, *HTTPSender) {}, maxAttempt + firstPause, 3},
		{"not trusted after long idleness", []string{ok}, func(_ *bucket, s *HTTPSender) {
			for _, conns := range s.idle {
				for i := range conns {
					conns[i].since = conns[i].since.Add(-maxIdle)
				}
			}
		}, 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bucket{replies: tt.replies}
				s := b.sender(t)
				u := mustParse(t, listed+"/?"+queryV4)
				for range 2 {
					conn, err := s.dial(t.Context(), u.get())
					if err != nil {
						t.Fatal(err)
					}
					s.keep(origin(u.get()), conn)
				}
				tt.die(b, s)
				synctest.Wait()
				start := time.Now()
				if err := s.Send(t.Context(), u, []byte("answer")); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if took := time.Since(start); took > tt.took {
					t.Errorf("it took %v, want at most %v", took, tt.took)
				}
				if b.conns != tt.conns {
					t.Errorf("%d connections were opened, want %d", b.conns, tt.conns)
				}
			})
		})
	}
}

func TestConnectReplacesWhatIsNotUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{replies: []string{ok}}
		s := b.sender(t)
		u := mustParse(t, listed+"/?"+queryV4)
		for i, tt := range []struct {
			name   string
			before func()
			conns  int
		}{
			{"there is none", func() {}, 1},
			{"there is one", func() {}, 1},
			{"it was closed", b.hangUp, 2},
			{"it is young enough", func() { <-time.After(maxIdle - time.Second) }, 2},
			{"Connect did not make it younger", func() { <-time.After(time.Second) }, 3},
		} {
			tt.before()
			synctest.Wait()
			if err := s.Connect(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			if b.conns != tt.conns || len(s.idle[origin(u.get())]) != 1 {
				t.Errorf("%d, %s: %d connections were opened and %d kept, want %d and 1", i, tt.name, b.conns, len(s.idle[origin(u.get())]), tt.conns)
			}
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	server, s := bucketTLS(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	u := mustParse(t, server.URL+"/?"+queryV4)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			for range 5 {
				if err := s.Connect(t.Context(), u); err != nil {
					t.Error(err)
				}
				if err := s.Send(t.Context(), u, []byte("answer")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := len(s.idle[origin(u.get())]); n < 1 || n > idleConns {
		t.Errorf("%d connections are kept, want 1 to %d", n, idleConns)
	}
	s.CloseIdleConnections()
	if len(s.idle) != 0 {
		t.Errorf("kept after CloseIdleConnections: %v", s.idle)
	}
}

// A proxy makes tunnels to one address, whatever it is asked for.
func proxy(t *testing.T, to string, answer int, asked *[]string) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		if answer != http.StatusOK {
			w.WriteHeader(answer)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer client.Close()
		// Not before: what the client then sends at once is for the tunnel.
		if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
			t.Error(err)
			return
		}
		target, err := net.Dial("tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		defer target.Close()
		go func() { _, _ = io.Copy(target, client); target.Close() }()
		_, _ = io.Copy(client, target)
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("me", "hunter2")
	return u
}

// Through a proxy, only the two ends can read the signed URL: it sees the host.
func TestProxy(t *testing.T) {
	const connect = "CONNECT " + bucketEU + ":443 Basic bWU6aHVudGVyMg=="
	var got []string
	server, _ := bucketTLS(t, func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Host+r.RequestURI) })
	s := NewSender("eu-west-1", SenderOptions{})
	s.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	s.transport.TLSClientConfig.NextProtos = nil
	s.transport.TLSClientConfig.ServerName = "example.com"
	defer s.CloseIdleConnections()
	u := mustParse(t, "https://"+bucketEU+pathEU+"?"+queryV4)

	var asked []string
	s.transport.Proxy = http.ProxyURL(proxy(t, server.Listener.Addr().String(), http.StatusOK, &asked))
	if err := s.Connect(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), u, []byte("answer")); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 1 || asked[0] != connect {
		t.Errorf("the proxy was asked for %q, want %q once", asked, connect)
	}
	if want := bucketEU + pathEU + "?" + queryV4; len(got) != 1 || got[0] != want {
		t.Errorf("the bucket was asked for %q, want %q", got, want)
	}
	s.CloseIdleConnections()

	s.transport.Proxy = http.ProxyURL(proxy(t, "", http.StatusForbidden, &asked))
	err := s.Connect(t.Context(), u)
	if err == nil || !strings.Contains(err.Error(), "proxy answered CONNECT with status 403") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a proxy that refuses: %v", err)
	}
}

// What a proxy says is text of a stranger's, and can be the request that it was
// sent; its address holds a password. Neither is repeated.
func TestErrorsRepeatNothingOfAProxy(t *testing.T) {
	speaks := func(reply string) *url.URL {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, reply)
				conn.Close()
			}
		}()
		return &url.URL{Scheme: "http", Host: listener.Addr().String(), User: url.UserPassword("me", "hunter2")}
	}
	for _, tt := range []struct{ name, reply, want string }{
		{"no HTTP", "SSH-2.0-hunter2\r\n\r\n", "not HTTP"},
		{"a bad status", "HTTP/1.1 hunter2 OK\r\n\r\n", "not HTTP"},
		{"a bad header", "HTTP/1.1 200 OK\r\nhunter2\r\n\r\n", "not HTTP"},
		{"a status of its own", "HTTP/1.1 407 hunter2\nFAKE LINE\r\n\r\n", "not HTTP"},
		{"a refusal with a text", "HTTP/1.1 502 hunter2\r\n\r\n", "answered CONNECT with status 502"},
		{"no TLS after CONNECT", "HTTP/1.1 200 OK\r\n\r\nhunter2 hunter2 hunter2", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSender("eu-west-1", SenderOptions{})
			s.transport.Proxy = http.ProxyURL(speaks(tt.reply))
			err := s.Connect(t.Context(), mustParse(t, "https://"+bucketEU+pathEU+"?"+queryV4))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want an error that says %q", err, tt.want)
			}
			if err != nil && strings.ContainsAny(strings.ReplaceAll(err.Error(), "hunter2", "\n"), "\n") {
				t.Errorf("%q repeats what the proxy said", err)
			}
		})
	}
	s := NewSender("eu-west-1", SenderOptions{})
	s.transport.Proxy = func(*http.Request) (*url.URL, error) {
		return nil, errors.New(`invalid proxy address "http://me:hunter2@%zz"`)
	}
	err := s.Connect(t.Context(), mustParse(t, "https://"+bucketEU+pathEU+"?"+queryV4))
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "HTTPS_PROXY") {
		t.Errorf("a proxy that cannot be used: %v", err)
	}
}

// The proxy is the environment's, which net/http reads once a process.
func TestProxyFromEnvironment(t *testing.T) {
	const child = "TEST_PROXY_FROM_ENVIRONMENT"
	u := mustParse(t, "https://"+bucketEU+"/?"+queryV4)
	if os.Getenv(child) != "" {
		if err := NewSender("eu-west-1", SenderOptions{}).Connect(t.Context(), u); err == nil {
			t.Error("connected")
		}
		return
	}
	var asked []string
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	again := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProxyFromEnvironment$")
	again.Env = append(os.Environ(), child+"=1", "NO_PROXY=", "HTTPS_PROXY="+proxy(t, "", http.StatusForbidden, &asked).String())
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if want := "CONNECT " + bucketEU + ":443"; len(asked) != 1 || !strings.HasPrefix(asked[0], want) {
		t.Errorf("the proxy was asked for %q, want %q", asked, want)
	}
}

// A handler that is done before the connection is up waits for it: to open
// another would cost the same time, and the handshake twice.
func TestAnswerWaitsForTheConnectionThatIsBeingOpened(t *testing.T) {
	var opened atomic.Int32
	begun, proceed := make(chan struct{}), make(chan struct{})
	server, s := bucketTLS(t, func(http.ResponseWriter, *http.Request) {})
	s.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if opened.Add(1) == 1 {
			close(begun)
			<-proceed
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	u := mustParse(t, server.URL+"/?"+queryV4)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Connect(t.Context(), u); err != nil {
			t.Errorf("Connect: %v", err)
		}
	})
	<-begun
	if err := s.Connect(t.Context(), u); err != nil { // the first is enough
		t.Errorf("Connect, the second: %v", err)
	}
	wg.Go(func() {
		if err := s.Send(t.Context(), u, []byte("a")); err != nil {
			t.Errorf("Send: %v", err)
		}
	})
	close(proceed)
	wg.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections were opened, want 1", n)
	}
}
