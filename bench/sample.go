package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/bench/peer"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/response"
)

// A sampleSizes returns how many samples to take.
type sampleSizes struct{ quick bool }

func (s sampleSizes) of(samples, quick int) int {
	if s.quick {
		return quick
	}
	return samples
}

// A sampler measures one thing once.
type sampler func() (float64, error)

// A contenders holds what takes turns; peer and floor may be nil.
type contenders struct{ ours, peer, floor sampler }

// A result holds each contender's median of each run.
type result struct{ ours, peer, floor []float64 }

// interleave takes n samples of each contender in each run, in turns, beginning
// with another one each time.
func interleave(runs, n int, c contenders) (result, error) {
	turns := []sampler{c.ours, c.peer, c.floor}
	medians := make([][]float64, len(turns))
	for range runs {
		samples := make([][]float64, len(turns))
		for i := range n {
			for j := range turns {
				k := (i + j) % len(turns)
				if turns[k] == nil {
					continue
				}
				value, err := turns[k]()
				if err != nil {
					return result{}, err
				}
				samples[k] = append(samples[k], value)
			}
		}
		for k, s := range samples {
			if len(s) > 0 {
				medians[k] = append(medians[k], median(s))
			}
		}
	}
	return result{medians[0], medians[1], medians[2]}, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return math.NaN()
	}
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// A row is a line of the table.
type row struct {
	measure  string
	unit     func(float64) string
	result   result
	base     []float64 // what ours is divided by, run by run; nil for the value itself
	baseName string    // what base is: "floor", "peer"
	target   float64   // the most that ours may be; 0 for what has no target
}

// ratios returns what is held against the target, of each run.
func (r row) ratios() []float64 {
	ratios := slices.Clone(r.result.ours)
	for i := range r.base {
		ratios[i] /= r.base[i]
	}
	return ratios
}

func printTable(w io.Writer, rows []row) {
	fmt.Fprintln(w, "| measure | ours | aws-lambda-go/cfn | floor | ratio: median (spread) | target |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range rows {
		shown := func(values []float64) string {
			if len(values) == 0 {
				return "–"
			}
			return r.unit(median(values))
		}
		ratios, times := r.ratios(), " × "+r.baseName
		number := func(v float64) string { return fmt.Sprintf("%.2f", v) }
		if r.base == nil {
			times, number = "", r.unit
		}
		verdict := "≤ " + number(r.target) + ": met"
		switch {
		case r.target == 0:
			verdict = "–"
		case median(ratios) > r.target:
			verdict = "≤ " + number(r.target) + ": MISSED"
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join([]string{
			r.measure, shown(r.result.ours), shown(r.result.peer), shown(r.result.floor),
			fmt.Sprintf("%s (%s to %s)%s", number(median(ratios)), number(slices.Min(ratios)), number(slices.Max(ratios)), times),
			verdict,
		}, " | "))
	}
}

func milliseconds(v float64) string { return fmt.Sprintf("%.2f ms", v*1e3) }
func microseconds(v float64) string { return fmt.Sprintf("%.1f µs", v*1e6) }
func megabytes(v float64) string    { return fmt.Sprintf("%.2f MB", v/1e6) }
func mebibytes(v float64) string    { return fmt.Sprintf("%.1f MiB", v/(1<<20)) }
func roundTrips(v float64) string   { return fmt.Sprintf("%.2f", v) }

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
	sender := response.NewSender("", response.SenderOptions{Hosts: []string{host}})
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
