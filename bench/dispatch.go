package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/bench/peer"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/response"
)

// timeout is a usual function's.
const timeout = 15 * time.Second

// discardLogger formats log records, as a function does, and drops them.
var discardLogger = slog.New(slog.NewJSONHandler(io.Discard, nil)) //nolint:sloglint // slog.DiscardHandler would not format them

// dispatch measures an event's way from the payload to the acknowledgement of
// its answer, with a handler that takes no time, over a TLS connection that is
// new each time: a Lambda function that answers one event an hour always has a
// new one. The floor sends a body that is ready the same way.
func dispatch(ctx context.Context, b *bucket, _ string, e sampleSizes) ([]row, error) {
	r, err := interleave(e.of(15, 2), e.of(60, 5), contenders{
		ours:  func() (float64, error) { return invokeOurs(ctx, b.host(), &ours.Subscription{}) },
		peer:  func() (float64, error) { return invokePeer(ctx, b.host(), &peer.Subscription{}) },
		floor: func() (float64, error) { return putOnce(ctx, b.host()) },
	})
	return []row{{
		measure: "an event to its answer, new TLS connection, certificates as S3's", unit: milliseconds,
		result: r, base: r.floor, baseName: "floor", target: 1.10,
	}}, err
}

// invokeOurs returns the seconds that one event takes, with a dispatcher whose
// sender has no connection yet, as in a new process.
func invokeOurs(ctx context.Context, host string, h *ours.Subscription) (float64, error) {
	sender := response.NewSender("", host)
	defer sender.CloseIdleConnections()
	d := cfnresource.New(h, func(o *cfnresource.Options) { o.Logger, o.Sender = discardLogger, sender })
	payload, _ := event(host)
	return invoke(ctx, lambda.NewHandler(d), payload)
}

// invokePeer is invokeOurs for the peer, which sends with http.DefaultClient.
func invokePeer(ctx context.Context, host string, h *peer.Subscription) (float64, error) {
	defer http.DefaultClient.CloseIdleConnections()
	payload, _ := event(host)
	return invoke(ctx, lambda.NewHandler(cfn.LambdaWrap(h.Handle)), payload)
}

// invoke does what lambda.Start does with a payload.
func invoke(ctx context.Context, h lambda.Handler, payload []byte) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	_, err := h.Invoke(ctx, payload)
	return time.Since(start).Seconds(), err
}

// putOnce sends a body of an answer's size on a connection of its own.
func putOnce(ctx context.Context, host string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	_, to := event(host)
	body := []byte(`{"Status":"SUCCESS","RequestId":"7b7b9d2e-0000-4000-8000-000000000001","LogicalResourceId":"Thing1",` +
		`"StackId":"arn:aws:cloudformation:us-west-2:123456789012:stack/bench/51af3dc0-da77-11e4-872e-1234567db123",` +
		`"PhysicalResourceId":"sub-1","Data":{"URL":"https://example.com/orders"}}`)

	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, to, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	took := time.Since(start).Seconds()
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the bucket answered %s", resp.Status)
	}
	return took, err
}
