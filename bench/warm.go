package main

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/bench/peer"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/response"
)

const (
	// eventsAtOnce is how many events one sample of warm takes: one alone is too
	// short to be told from the machine's noise.
	eventsAtOnce = 50
	// nearBucket is the way to a bucket in the function's own Region.
	nearBucket = time.Millisecond
)

// warm measures an event's way to the acknowledgement of its answer in a process
// that has answered before, on the connection that it has open: a function that
// answers for many resources of a stack. Over loopback all that differs is what the
// process does; through a relay it is what a user sees.
func warm(ctx context.Context, b *bucket, _ string, e sampleSizes) ([]row, error) {
	net, err := newRelay(ctx, b.host(), nearBucket)
	if err != nil {
		return nil, err
	}
	defer net.stop()
	near, err := warmThrough(ctx, b.host(), e.of(40, 3), e)
	if err != nil {
		return nil, err
	}
	relayed, err := warmThrough(ctx, net.host(), e.of(5, 1), e)
	if err != nil {
		return nil, err
	}
	mallocs, err := interleave(e.of(3, 1), e.of(40, 3), contenders{ours: allocations(ctx)})
	return []row{
		{measure: "an event to its answer, on an open connection", unit: milliseconds, result: near, base: near.peer, baseName: "peer", target: 1.30},
		{measure: "the same, through a network of 1 ms one way", unit: milliseconds, result: relayed, base: relayed.peer, baseName: "peer", target: 1.03},
		{measure: "allocations of an event, without its PUT", unit: count, result: mallocs, target: 135},
	}, err
}

// warmThrough measures warm's way where answers go to host.
func warmThrough(ctx context.Context, host string, samples int, e sampleSizes) (result, error) {
	sender := response.NewSender("", host)
	defer sender.CloseIdleConnections()
	defer http.DefaultClient.CloseIdleConnections()
	several := func(h lambda.Handler) sampler {
		return func() (sum float64, err error) {
			for range eventsAtOnce {
				payload, _ := event(host)
				took, err := invoke(ctx, h, payload)
				if err != nil {
					return 0, err
				}
				sum += took
			}
			return sum / eventsAtOnce, nil
		}
	}
	return interleave(e.of(3, 1), samples, contenders{
		ours: several(newOurs(sender)),
		peer: several(lambda.NewHandler(cfn.LambdaWrap((&peer.Subscription{}).Handle))),
	})
}

func newOurs(sender response.Sender) lambda.Handler {
	return lambda.NewHandler(cfnresource.New(&ours.Subscription{}, func(o *cfnresource.Options) { o.Logger, o.Sender = discardLogger, sender }))
}

// allocations counts those of an event whose answer goes nowhere.
func allocations(ctx context.Context) sampler {
	h := newOurs(nowhere{})
	return func() (float64, error) {
		payloads := make([][]byte, eventsAtOnce)
		for i := range payloads {
			payloads[i], _ = event("127.0.0.1:9")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, p := range payloads {
			if _, err := invoke(ctx, h, p); err != nil {
				return 0, err
			}
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs-before.Mallocs) / eventsAtOnce, nil
	}
}

// nowhere is a Sender that acknowledges every answer.
type nowhere struct{}

func (nowhere) Send(context.Context, response.URL, []byte) error { return nil }

func count(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
