package loopback

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
)

// connect returns both ends of a new connection on loopback.
func connect(tb testing.TB, address string) (client, server net.Conn) {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", address)
	if err != nil {
		tb.Skip(err)
	}
	defer func() { _ = l.Close() }()
	client, err = new(net.Dialer).DialContext(tb.Context(), "tcp", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	server, err = l.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

// The kernel knows whose a connection is, and of nothing else.
func TestUID(t *testing.T) {
	if !knowsOwners() {
		t.Skip("the system does not say whose a connection is")
	}
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			client, server := connect(t, address)
			if uid, ok := uidOf(client.LocalAddr(), server.LocalAddr()); !ok || uid != os.Getuid() {
				t.Errorf("the user %d, %t; want %d", uid, ok, os.Getuid())
			}
			listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = listener.Close() }()
			elsewhere := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddrPort(address).Addr(), 1))
			_ = client.Close()
			for name, ends := range map[string][2]net.Addr{
				"a listener": {listener.Addr(), elsewhere}, "nothing": {elsewhere, listener.Addr()}, "what is closed": {client.LocalAddr(), client.RemoteAddr()},
			} {
				if uid, ok := uidOf(ends[0], ends[1]); ok {
					t.Errorf("%s is of the user %d", name, uid)
				}
			}
		})
	}
}

// A client may connect to an address of IPv4 by a socket of IPv6, as Java does.
func TestUIDOfASocketOfIPv6(t *testing.T) {
	if !knowsOwners() {
		t.Skip("the system does not say whose a connection is")
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	at := netip.MustParseAddrPort(l.Addr().String())
	if err := syscall.Connect(fd, &syscall.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}); err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	if uid, ok := uidOf(server.RemoteAddr(), server.LocalAddr()); !ok || uid != os.Getuid() {
		t.Errorf("the user %d, %t; want %d", uid, ok, os.Getuid())
	}
}

// BenchmarkOfOther is what one connection costs among others, if its user is known and if
// its other end is gone. The others do not count.
func BenchmarkOfOther(b *testing.B) {
	client, server := connect(b, "127.0.0.1:0")
	gone := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	others := 0
	for _, n := range []int{0, 100, 1000} {
		for ; others < n; others++ {
			connect(b, "127.0.0.1:0")
		}
		for name, peer := range map[string]net.Addr{"known": client.LocalAddr(), "gone": gone} {
			b.Run(fmt.Sprintf("%s/others=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if ofOther(peer, server.LocalAddr()) != (name == "gone") {
						b.Fatal("taken for another user's, or for our own")
					}
				}
			})
		}
	}
}
