package query

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOnlyLoopback: no other address is listened on.
func TestOnlyLoopback(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "10.0.0.1:0", "192.0.2.1:80", "127.0.0.1", "127.0.0.1:x", ""} {
		if s, err := Start(address, stacks{}, nil, nil); err == nil {
			t.Errorf("%q is listened on", address)
			_ = s.Close()
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.1.2.3:0"} {
		s, err := Start(address, stacks{}, nil, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestServer: it answers until it is closed, and a port that is taken is an error that says so.
func TestServer(t *testing.T) {
	s, err := Start("127.0.0.1:0", stacks{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(strings.TrimPrefix(s.Origin(), "http://"), stacks{}, nil, nil); err == nil || !strings.Contains(err.Error(), "cannot be listened on") {
		t.Errorf("a second one: %v", err)
	}
	resp, err := http.Get(s.Origin() + "/?Action=ListStacks&Version=" + version)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.HasPrefix(string(body), `<ListStacksResponse xmlns="`+namespace+`">`) || resp.Header.Get("X-Amzn-Requestid") == "" {
		t.Errorf("%v: %s", err, body)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("a server that was closed: %v", err)
	}
	if resp, err := http.Get(s.Origin()); err == nil {
		_ = resp.Body.Close()
		t.Error("it answers after it was closed")
	}
}
