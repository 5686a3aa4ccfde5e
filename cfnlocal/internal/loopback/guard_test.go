package loopback

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serve returns the address of a guarded server that says hello.
func serve(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip(err)
	}
	s := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// TestGuard: who asks by the address of this machine and is no page of another
// site is served, and nobody else.
func TestGuard(t *testing.T) {
	address := serve(t, "tcp", "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(address)
	for _, test := range []struct {
		name, host string
		header     http.Header
		want       int
	}{
		{"its own address", address, nil, 200},
		{"localhost", "localhost:" + port, nil, 200},
		{"a page of the server itself", address, http.Header{"Origin": {"http://" + address}, "Sec-Fetch-Site": {"same-origin"}}, 200},
		{"an address that was typed", address, http.Header{"Sec-Fetch-Site": {"none"}}, 200},
		{"a name that was rebound", "attacker.example:" + port, nil, 403},
		{"a name that begins like an address", "127.0.0.1.attacker.example:" + port, nil, 403},
		{"a name in the zone of an address", "[::1%25.attacker.example]:" + port, nil, 403},
		{"another address", "192.0.2.1:" + port, nil, 403},
		{"no host", "", nil, 403},
		{"a page of another site", address, http.Header{"Origin": {"https://attacker.example"}}, 403},
		{"a page of another server of this machine", address, http.Header{"Origin": {"http://127.0.0.1:1"}}, 403},
		{"a sandboxed page", address, http.Header{"Origin": {"null"}}, 403},
		{"another site's image", address, http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403},
		{"another port's image", address, http.Header{"Sec-Fetch-Site": {"same-site"}}, 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://"+address+"/", nil)
		r.RequestURI, r.Host, r.Header = "", test.host, test.header
		if r.Host == "" {
			r.Host = " "
		}
		if r.Header == nil {
			r.Header = http.Header{}
		}
		w := httptest.NewRecorder()
		s := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}))
		s.Handler.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s: %d %s, want %d", test.name, w.Code, w.Body, test.want)
		}
	}
}

// TestOwner: this process's own requests are served, over IPv4 and IPv6.
func TestOwner(t *testing.T) {
	for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		resp, err := http.Get("http://" + serve(t, network, address) + "/")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || string(text) != "hello" {
			t.Errorf("%s: %q, %v", network, text, err)
		}
	}
}

// TestLongHeaders: whoever asks with headers that nothing here needs is refused.
func TestLongHeaders(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+serve(t, "tcp4", "127.0.0.1:0")+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X", strings.Repeat("x", 70<<10))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Error(resp.Status)
	}
}
