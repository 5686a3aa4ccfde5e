package main

import (
	"context"
	"net/http"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/bench/peer"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/response"
)

// eventsAtOnce is how many events one sample of warm takes: one alone is too
// short to be told from the machine's noise.
const eventsAtOnce = 50

// warm measures an event's way to the acknowledgement of its answer in a process
// that has answered before, on the connection that it has open: a function that
// answers for many resources of a stack.
func warm(ctx context.Context, b *bucket, _ string, e sampleSizes) ([]row, error) {
	sender := response.NewSender("", b.host())
	defer sender.CloseIdleConnections()
	defer http.DefaultClient.CloseIdleConnections()
	mine := lambda.NewHandler(cfnresource.New(&ours.Subscription{}, func(o *cfnresource.Options) { o.Logger, o.Sender = discardLogger, sender }))
	theirs := lambda.NewHandler(cfn.LambdaWrap((&peer.Subscription{}).Handle))
	several := func(h lambda.Handler) func() (float64, error) {
		return func() (sum float64, err error) {
			for range eventsAtOnce {
				payload, _ := event(b.host())
				took, err := invoke(ctx, h, payload)
				if err != nil {
					return 0, err
				}
				sum += took
			}
			return sum / eventsAtOnce, nil
		}
	}
	r, err := interleave(e.of(3, 1), e.of(40, 3), contenders{ours: several(mine), peer: several(theirs)})
	if err != nil {
		return nil, err
	}
	return []row{{measure: "an event to its answer, on an open connection", unit: milliseconds, result: r, base: r.peer, baseName: "peer", target: 1.10}}, nil
}
