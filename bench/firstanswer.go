package main

import (
	"context"
	"time"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/bench/peer"
)

const (
	oneWay = 20 * time.Millisecond
	work   = 200 * time.Millisecond
)

// firstAnswer measures how long after the handler has returned the answer is
// acknowledged, in round trips of the network, with a handler that works for a
// while and no connection at its start. The floor is one: there and back.
func firstAnswer(ctx context.Context, b *bucket, _ string, e sampleSizes) ([]row, error) {
	net, err := newRelay(ctx, b.host(), oneWay)
	if err != nil {
		return nil, err
	}
	defer net.stop()
	var returned time.Time
	mark := func() { returned = time.Now() }
	after := func(_ float64, err error) (float64, error) {
		return float64(time.Since(returned)) / float64(2*oneWay), err
	}
	r, err := interleave(e.of(10, 1), e.of(5, 2), contenders{
		ours: func() (float64, error) {
			return after(invokeOurs(ctx, net.host(), &ours.Subscription{Work: work, Returned: mark}))
		},
		peer: func() (float64, error) {
			return after(invokePeer(ctx, net.host(), &peer.Subscription{Work: work, Returned: mark}))
		},
	})
	r.floor = []float64{1}
	return []row{{
		measure: "handler's return to the answer's acknowledgement, in round trips of 40 ms", unit: roundTrips,
		result: r, target: 1.5,
	}}, err
}
