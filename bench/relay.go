package main

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// A relay is a network between loopback and a server: what goes through it arrives oneWay later,
// and a connection takes a round trip to be made. The kernel makes loopback connections at once, so
// the relay lets what the client sends first wait for the time that it would still be connecting.
type relay struct {
	net.Listener
	oneWay time.Duration
	to     string
	wg     sync.WaitGroup
}

func newRelay(ctx context.Context, to string, oneWay time.Duration) (*relay, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{Listener: l, oneWay: oneWay, to: to}
	r.wg.Go(func() { r.serve(ctx) })
	return r, nil
}

// host returns the relay's HOST:PORT.
func (r *relay) host() string { return r.Addr().String() }

// stop ends the relay once its connections have ended.
func (r *relay) stop() {
	_ = r.Close()
	r.wg.Wait()
}

func (r *relay) serve(ctx context.Context) {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		server, err := new(net.Dialer).DialContext(ctx, "tcp", r.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		connected := time.Now().Add(2 * r.oneWay)
		r.wg.Go(func() { r.forward(server, client, connected) })
		r.wg.Go(func() { r.forward(client, server, connected) })
	}
}

// A delayedBytes is data that the relay delivers when it is due.
type delayedBytes struct {
	data []byte
	due  time.Time
}

// forward takes what from sends, not before the connection is made, and hands it
// over when it is due. Much can be on its way at once.
func (r *relay) forward(to, from net.Conn, connected time.Time) {
	way := make(chan delayedBytes, 256)
	r.wg.Go(func() {
		defer func() { _ = to.Close() }()
		for c := range way {
			<-time.After(time.Until(c.due))
			if _, err := to.Write(c.data); err != nil {
				break
			}
		}
		for range way { // nobody reads it
		}
	})
	for {
		data := make([]byte, 16<<10)
		n, err := from.Read(data)
		sent := time.Now()
		if sent.Before(connected) {
			sent = connected
		}
		if n > 0 {
			way <- delayedBytes{data[:n], sent.Add(r.oneWay)}
		}
		if err != nil {
			if err != io.EOF {
				_ = to.Close()
			}
			close(way)
			return
		}
	}
}
