package service

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
)

// A ready is where a service answers once it serves: host and port, or a URL. Without one,
// it serves once it writes.
type ready string

// named is an address of this machine, as commands and variables name one.
var named = regexp.MustCompile(`(?:127\.0\.0\.1|localhost|\[::1\]):([1-9][0-9]{0,4})\b`)

// readiness finds out where a service is to answer.
func readiness(c Config) ready {
	if c.Ready != "" {
		return ready(c.Ready)
	}
	for _, where := range [][]string{append([]string{c.Command}, c.Env...), c.Functions} {
		if address := named.FindString(strings.Join(where, " ")); address != "" {
			return ready(address)
		}
	}
	return ""
}

func (r ready) String() string {
	if r == "" {
		return "to write its first line"
	}
	return "to answer at " + string(r)
}

// answers returns a channel that is closed once there is an answer. It looks
// until the context is done or the service has ended.
func (r ready) answers(ctx context.Context, exited <-chan struct{}) <-chan struct{} {
	serves := make(chan struct{})
	go func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			if r.answersNow(ctx) {
				close(serves)
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			case <-exited:
				return
			}
		}
	}()
	return serves
}

// answersNow reports whether there is an answer now, of any status if it is HTTP's.
func (r ready) answersNow(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, host.Allow(time.Second))
	defer cancel()
	if u, err := url.Parse(string(r)); err == nil && u.Host != "" {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(r), nil)
		if err != nil {
			return false
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return true
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", string(r))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
