package page

import (
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Later is further to the right, and nothing is beside the page.
func TestScaleIsMonotone(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var times []time.Time
		for at, n := start, chance.IntN(60); n >= 0; n-- {
			at = at.Add(time.Duration(chance.Int64N(1 << (20 + chance.IntN(23)))))
			times = append(times, at)
		}
		s := newScale(times)
		slices.SortFunc(times, time.Time.Compare)
		last := -1.0
		for _, at := range times {
			x := s.place(at)
			if x <= last && !at.Equal(times[0]) || x < 0 || x > 100 {
				t.Fatalf("%v is at %v, after %v", at, x, last)
			}
			last = x
		}
		for i, tick := range s.ticks() {
			if all := s.ticks(); i > 0 && tick.X-all[i-1].X < gap && !tick.End {
				t.Fatalf("ticks at %v and %v", all[i-1].X, tick.X)
			}
		}
	}
}

// An hour has as much room as ten seconds, and is marked.
func TestScaleShortens(t *testing.T) {
	times := []time.Time{start, start.Add(time.Second), start.Add(time.Second + time.Hour), start.Add(2*time.Second + time.Hour)}
	s := newScale(times)
	waits := s.waits([]engine.Note{{At: times[1].Add(time.Millisecond), Kind: engine.NoteSkip}})
	if len(waits) != 1 || waits[0].Text != "1 h" || !waits[0].Skipped {
		t.Fatalf("%+v", waits)
	}
	if short := newScale([]time.Time{times[0], times[1], times[1].Add(10 * time.Second), times[1].Add(11 * time.Second)}); short.at[2] != s.at[2] {
		t.Errorf("an hour ends at %v, ten seconds at %v", s.at[2], short.at[2])
	}
	ticks := s.ticks()
	if last := ticks[len(ticks)-1]; last.Text != "+ 1.0 s" {
		t.Errorf("%+v: after what is shortened, times count anew", ticks)
	}
}

// A time at which nothing is known to have happened has the place of what came before.
func TestScaleOfOtherTimes(t *testing.T) {
	s := newScale([]time.Time{start, start.Add(time.Second)})
	if got := s.place(start.Add(time.Millisecond)); got != s.at[0] {
		t.Errorf("%v, want %v", got, s.at[0])
	}
	if got := s.place(start.Add(-time.Hour)); got != 0 {
		t.Errorf("%v before all", got)
	}
	if got := newScale(nil).place(start); got != 0 {
		t.Errorf("%v on no scale", got)
	}
}
