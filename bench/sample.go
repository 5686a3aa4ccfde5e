package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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
