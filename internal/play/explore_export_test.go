package play

import (
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Tally counts what became of histories. Each harmful one counts once: as one
// that hangs if it does, else by the first harm that it did.
type Tally struct {
	Histories int
	Hang      int // CloudFormation waited for an answer that nobody gave
	Leak      int // something was left behind
	Known     int // of these, what no handler can prevent
	Lose      int // a live resource was deleted, replaced or in a wrong state
	Fail      int // something failed without a cause, or for good
	Misanswer int // answered twice, malformed, or the process ended after the answer
}

// Compare plays all histories up to a depth of one Contract's handler, with it and with others.
func Compare(t *testing.T, depth int, c Contract, others ...Contract) []Tally {
	t.Helper()
	defer capture.Redirect(slog.DiscardHandler)()
	all := harmless(t, depth, c)
	tallies := []Tally{tally(all)}
	for _, other := range others {
		tallies = append(tallies, tally(replayWith(t, other, ExploreOptions{}, all)))
	}
	return tallies
}

// CompareReadings plays all histories up to a depth of the first Contract's handler with
// each handler, under each reading alone. The first row is what is assumed.
func CompareReadings(t *testing.T, depth int, all ...Contract) (readings []string, tallies [][]Tally) {
	t.Helper()
	defer capture.Redirect(slog.DiscardHandler)()
	histories := harmless(t, depth, all[0])
	readings = []string{""}
	for _, a := range engine.OtherWays() {
		readings = append(readings, a.String())
	}
	for _, r := range readings {
		var row []Tally
		for _, c := range all {
			row = append(row, tally(replayWith(t, c, ExploreOptions{Assume: strings.Fields(r)}, histories)))
		}
		tallies = append(tallies, row)
	}
	return readings, tallies
}

// harmless plays all histories of a handler that does no harm.
func harmless(t *testing.T, depth int, c Contract) []*historyResult {
	t.Helper()
	x := newExplorer(t, c, ExploreOptions{Histories: math.MaxInt}, new(calibration))
	if f := x.learnStates(); f != nil {
		t.Fatal(f)
	}
	var all []*historyResult
	for plain, faulty := []*historyResult{{}}, []*historyResult(nil); depth > 0; depth-- {
		plain = x.run(extended(playedOf(plain), c.canDeploy))
		faulty = x.run(append(withFaults(playedOf(plain), x.o.Faults), extended(playedOf(faulty), c.canDeploy)...))
		all = slices.Concat(all, plain, faulty)
	}
	if len(x.out.findings) > 0 {
		t.Fatal(x.out.findings[0])
	}
	return all
}

// replayWith plays histories that were played with another handler.
func replayWith(t *testing.T, c Contract, o ExploreOptions, all []*historyResult) []*historyResult {
	t.Helper()
	x := newExplorer(t, c, o, new(calibration))
	if f := x.learnStates(); f != nil {
		t.Fatal(f)
	}
	theirs := make([]*historyResult, len(all))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				theirs[i] = x.runOne(all[i].History, playing{})
			}
		})
	}
	wg.Wait()
	return theirs
}

func tally(all []*historyResult) Tally {
	t := Tally{Histories: len(all)}
	for _, p := range all {
		switch {
		case p.waited:
			t.Hang++
		case p.Limit != "":
			t.Leak++
			t.Known++
		case p.found == nil:
		case p.found.harm == unplayable: // its fault meets no request here
			t.Histories--
		case p.found.harm == leftBehind:
			t.Leak++
		case p.found.harm == badAnswer:
			t.Misanswer++
		case p.found.harm == failsWithoutCause || p.found.harm == deleteFails || p.found.harm == stackStuck || p.found.harm == notRefused:
			t.Fail++
		default:
			t.Lose++
		}
	}
	return t
}

// Explored is what came of an exploration.
type Explored struct {
	Findings []string       // whole reports
	Lines    []string       // that Replay plays
	Limits   map[string]int // histories, by what no handler can prevent
	Played   int
	Diverged int    // histories that went another way than planned
	LeftOut  int    // histories, besides what follows them
	Log      string // the line in the test's log
	Why      string // it ended before it was through
	Told     string // of what no handler can prevent
}

// Budgeted explores with a clock that goes on by one each time it is read.
func Budgeted(t *testing.T, c Contract, budget time.Duration) Explored {
	t.Helper()
	var asked atomic.Int64
	return Exploration(t, c, ExploreOptions{Budget: budget, now: func() time.Time { return time.Unix(0, asked.Add(1)) }})
}

// Exploration explores, without failing t.
func Exploration(t *testing.T, c Contract, o ExploreOptions) (out Explored) {
	t.Helper()
	e := explore(t, c, o)
	for _, f := range e.findings {
		out.Findings = append(out.Findings, f.String())
		out.Lines = append(out.Lines, f.history.String())
	}
	out.Limits, out.Played, out.Diverged, out.Why = e.limits, e.played, e.diverged, e.stopReason
	out.LeftOut = e.leftOut
	e.took = 0
	out.Log = e.String()
	out.Told = e.unprevented()
	return out
}

// HistoryError returns what keeps Replay from a history.
func HistoryError(c Contract, line string) error {
	_, _, err := c.history(line)
	return err
}

// Replayed replays, without failing t, and returns the whole report of the harm, and
// the name of the limit if it is one that no handler can prevent.
func Replayed(t *testing.T, c Contract, line string) (found, limit string) {
	t.Helper()
	c.learnHandlerType(t)
	h, o, err := c.history(line)
	if err != nil {
		t.Fatal(err)
	}
	r := replay(t, c, h, o)
	if f := r.first(); f != nil {
		found = f.String()
	}
	return found, r.Limit
}

// Shown replays, and returns the signs by which the advice on the harm was chosen.
func Shown(t *testing.T, c Contract, line string) (signs string) {
	t.Helper()
	c.learnHandlerType(t)
	h, o, err := c.history(line)
	if err != nil {
		t.Fatal(err)
	}
	if f := replay(t, c, h, o).first(); f != nil {
		return f.shows
	}
	return "no harm"
}

// CheckOptions returns what is wrong with options.
func CheckOptions(o ExploreOptions) error { return o.check() }

// LimitNames returns the names of the limits of replacements, or of the kind "neither".
func LimitNames(neither bool) []string { return limitNames(neither) }

// limitNames returns the names of the limits of replacements, or of the kind "neither".
func limitNames(neither bool) (names []string) {
	for _, l := range limits {
		if l.neither == neither {
			names = append(names, l.name)
		}
	}
	return names
}
