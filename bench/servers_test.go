package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A request on a new connection takes two round trips: one to connect, one for itself.
func TestRelayDelays(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	const oneWay = 30 * time.Millisecond
	net, err := newRelay(t.Context(), server.Listener.Addr().String(), oneWay)
	if err != nil {
		t.Fatal(err)
	}
	defer net.stop()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for _, test := range []struct {
		name string
		want time.Duration
	}{
		{"new connection", 4 * oneWay},
		{"connection that is open", 2 * oneWay},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+net.host(), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if took := time.Since(start); took < test.want {
				t.Errorf("took %v, want at least %v", took, test.want)
			}
		})
	}
}
