// Package loopback keeps strangers from the servers that cfnlocal opens on this machine: pages of
// other sites that a browser shows, and, where the system says who owns a connection, other users.
package loopback

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"time"
)

// NewServer returns a server that refuses strangers, with a status of 403 and a
// reason, and logs nothing.
//
// It refuses requests whose Host is not of loopback (a name that a site has rebound to this
// machine), those with the Origin or the Sec-Fetch-Site of another site, and on Linux those over a
// connection that is not known to be of this process's user. Headers have 64 kB at the most, unless
// the server is given another limit.
func NewServer(handler http.Handler) *http.Server {
	_ = knowsOwners() // before anyone can know of the server
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := refusal(r); reason != "" {
			w.Header().Set("Connection", "close")
			http.Error(w, reason, http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
	return &http.Server{
		Handler:           guarded,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ReadHeaderTimeout: time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			// Look at once: a stranger could keep us waiting, and close the connection.
			return context.WithValue(ctx, strangerKey{}, ofOther(c.RemoteAddr(), c.LocalAddr()))
		},
	}
}

// strangerKey is whether a request comes over a connection that may be another user's.
type strangerKey struct{}

// refusal says why a request is refused, or "".
func refusal(r *http.Request) string {
	if stranger, _ := r.Context().Value(strangerKey{}).(bool); stranger {
		return "only processes of the user who runs cfnlocal are served"
	}
	if !ofLoopback(r.Host) {
		return "the Host is not this machine's: use the address that cfnlocal printed"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" || u.Host != r.Host {
			return "pages of other origins are not served"
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return ""
	}
	return "pages of other sites are not served"
}

// ofLoopback reports whether a Host names this machine's loopback.
func ofLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback() && ip.Zone() == "" // a zone can hold a name
}

// ofOther reports whether a connection may be another user's, if the system knows the owners
// of connections. The owner of a closed one is not known.
func ofOther(peer, own net.Addr) bool {
	if !knowsOwners() {
		return false
	}
	uid, ok := uidOf(peer, own)
	return !ok || uid != os.Getuid()
}

// knowsOwners reports whether the system knows who owns a connection, by a connection of our
// own.
var knowsOwners = sync.OnceValue(func() bool {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return true // strangers may have taken all ports
	}
	defer func() { _ = l.Close() }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return true
	}
	defer func() { _ = c.Close() }()
	uid, ok := uidOf(c.LocalAddr(), c.RemoteAddr())
	return ok && uid == os.Getuid()
})
