package loopback

import (
	"net"
	"net/netip"
	"os"
	"testing"
)

// What the kernel answers about one socket is what its table of all says.
func TestAsk(t *testing.T) {
	for i, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err)
			continue
		}
		defer func() { _ = l.Close() }()
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		local, remote := netip.MustParseAddrPort(conn.LocalAddr().String()), netip.MustParseAddrPort(conn.RemoteAddr().String())
		if _, ok := ask(local, remote); !ok && i == 0 {
			t.Skip("this kernel has no sock_diag")
		}
		if uid, ok := ask(local, remote); !ok || uid != os.Getuid() {
			t.Errorf("%s to %s: the user %d, %t; want %d", local, remote, uid, ok, os.Getuid())
		}

		// No connection: the listener is not one, nor is what is not there, nor what is closed.
		elsewhere := netip.AddrPortFrom(remote.Addr(), 1)
		for name, ends := range map[string][2]netip.AddrPort{
			"a listener": {remote, elsewhere}, "nothing": {local, elsewhere},
		} {
			if uid, ok := ask(ends[0], ends[1]); ok {
				t.Errorf("%s is of user %d", name, uid)
			}
		}
		_ = conn.Close()
		if uid, ok := ask(local, remote); ok {
			t.Errorf("a closed connection is of user %d", uid)
		}
	}
}
