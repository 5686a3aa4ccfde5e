package loopback

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestWhoIsGoneIsUnknown: the kernel lists a closed socket as root's. Another user who
// sends a request and closes at once is not taken for root.
func TestWhoIsGoneIsUnknown(t *testing.T) {
	run := asUser(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	run(testrun.Nobody, "LOOPBACK_TEST_ADDRESS="+listener.Addr().String(), "LOOPBACK_TEST_BLIND=1")

	// Only now the connection is accepted: its other end is closed, and has no owner.
	for deadline := time.Now().Add(10 * time.Second); hasOwner(t, listener.Addr()); {
		if time.Now().After(deadline) {
			t.Fatal("the connection does not end")
		}
	}
	var served, over sync.WaitGroup
	over.Add(1)
	s := NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("somebody was served of whom nothing is known") }))
	s.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			over.Done()
		}
	}
	served.Go(func() {
		if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	over.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	served.Wait()
}

// hasOwner reports whether the other end of a connection to a server is listed, and not as
// one that only waits for time to pass (linux/include/net/tcp_states.h).
func hasOwner(t *testing.T, server net.Addr) bool {
	t.Helper()
	table, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	to := fmt.Sprintf(":%04X", netip.MustParseAddrPort(server.String()).Port())
	for row := range strings.Lines(string(table)) {
		if fields := strings.Fields(row); len(fields) > 3 && strings.HasSuffix(fields[2], to) {
			return fields[3] != "05" && fields[3] != "06"
		}
	}
	return false
}
