package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/bench/peer"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/properties"
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
	sender := response.NewSender("", response.SenderOptions{Hosts: []string{host}})
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

// rules are properties of usual kinds, about 4 kB of them.
type rules struct {
	Name    string
	Enabled bool
	Rules   []rule
}

type rule struct {
	ID       string
	Priority int
	Enabled  bool
	Ports    []int
	Source   string
	Weight   float64
	Labels   map[string]string
}

func sampleRules() rules {
	r := rules{Name: "edge", Enabled: true}
	for i := range 22 {
		r.Rules = append(r.Rules, rule{
			ID: fmt.Sprintf("rule-%03d", i), Priority: 100 * i, Enabled: i%2 == 0, Ports: []int{80, 443, 8000 + i},
			Source: fmt.Sprintf("10.%d.0.0/16", i), Weight: 0.25, Labels: map[string]string{"team": "payments", "stage": strings.Repeat("x", 12)},
		})
	}
	return r
}

// decoding measures the reading of properties whose numbers and booleans are strings, as
// CloudFormation sends them, into a struct. The floor is encoding/json, which reads the same values
// as they were in the template. The peer leaves the strings to the handler, in a map.
func decoding(_ context.Context, _ *bucket, _ string, e sampleSizes) ([]row, error) {
	native, err := json.Marshal(sampleRules())
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := json.Unmarshal(native, &values); err != nil {
		return nil, err
	}
	wire, err := json.Marshal(properties.Stringify(values))
	if err != nil {
		return nil, err
	}
	schema, err := properties.SchemaOf(reflect.TypeFor[rules]())
	if err != nil {
		return nil, err
	}
	var got rules
	if res := schema.Decode(wire, &got); !reflect.DeepEqual(res, properties.Result{}) || !reflect.DeepEqual(got, sampleRules()) {
		return nil, fmt.Errorf("the properties were not read right: %+v", res)
	}
	r, err := interleave(e.of(15, 2), e.of(300, 20), contenders{
		ours:  timed(func() { var into rules; schema.Decode(wire, &into) }),
		peer:  timed(func() { var into map[string]any; err = json.Unmarshal(wire, &into) }),
		floor: timed(func() { var into rules; err = json.Unmarshal(native, &into) }),
	})
	size := fmt.Sprintf("%.1f kB", float64(len(wire))/1e3)
	return []row{{
		measure: "decoding " + size + " of properties", unit: microseconds, result: r, base: r.floor, baseName: "encoding/json", target: 3,
	}}, err
}

func timed(fn func()) sampler {
	return func() (float64, error) {
		start := time.Now()
		fn()
		return time.Since(start).Seconds(), nil
	}
}

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
