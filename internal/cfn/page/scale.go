package page

import (
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"math"
	"slices"
	"time"
)

// long is how long nothing has to happen for that to be shortened and marked.
const long = 10 * time.Second

// A scale has a place for each time at which something happened. What lies between
// two has more room the longer it took, but much less than in proportion: a
// millisecond can be seen beside a minute.
type scale struct {
	times []time.Time
	at    []float64 // 0 to 100
}

func newScale(times []time.Time) *scale {
	times = slices.Clone(times)
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	s := &scale{times: times, at: make([]float64, len(times))}
	total := 0.0
	for i := range times {
		if i > 0 {
			total += weight(times[i].Sub(times[i-1]))
		}
		s.at[i] = total
	}
	total += 2 // room for the end
	for i := range s.at {
		s.at[i] *= 100 / total
	}
	return s
}

// weight is how much room there is for a time.
func weight(d time.Duration) float64 {
	return math.Cbrt(float64(min(d, long)) / float64(time.Millisecond))
}

func (s *scale) place(t time.Time) float64 {
	i, found := slices.BinarySearchFunc(s.times, t, time.Time.Compare)
	switch {
	case len(s.at) == 0 || i == 0 && !found:
		return 0
	case found:
		return s.at[i]
	}
	return s.at[i-1]
}

// waits are the parts that are shortened. skipped tells which took no time.
func (s *scale) waits(skipped []engine.Note) (all []Wait) {
	for i := 1; i < len(s.times); i++ {
		from, to := s.times[i-1], s.times[i]
		if to.Sub(from) < long {
			continue
		}
		w := Wait{X: s.at[i-1], Width: s.at[i] - s.at[i-1], Text: span(to.Sub(from))}
		w.Skipped = slices.ContainsFunc(skipped, func(n engine.Note) bool { return n.At.After(from.Add(-time.Second)) && n.At.Before(to) })
		all = append(all, w)
	}
	return all
}

// gap is the least distance of two ticks.
const gap = 12

// ticks are times to be read beside the scale: the first, the last, and some
// between them. After what is shortened they count anew.
func (s *scale) ticks() (all []Tick) {
	last := len(s.times) - 1
	if last < 0 {
		return nil
	}
	base := s.times[0]
	text := func(t time.Time) string {
		if base.Equal(s.times[0]) {
			return span(t.Sub(base))
		}
		return "+ " + span(t.Sub(base))
	}
	for i, t := range s.times {
		near := i > 0 && (i == last || s.at[i]-all[len(all)-1].X < gap || s.at[last]-s.at[i] < gap)
		if !near {
			all = append(all, Tick{X: s.at[i], Text: text(t)})
		}
		if i > 0 && t.Sub(s.times[i-1]) >= long {
			if base = t; !near {
				all[len(all)-1].Text = span(t.Sub(s.times[0]))
			}
		}
	}
	if last > 0 {
		all = append(all, Tick{X: s.at[last], Text: text(s.times[last]), End: true})
	}
	return all
}
