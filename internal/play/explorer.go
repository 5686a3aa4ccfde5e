package play

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/capture"
)

// An explorer plays the histories of an exploration.
type explorer struct {
	out     exploration
	learned learned

	t     *testing.T
	c     Contract
	o     ExploreOptions
	now   func() time.Time
	began time.Time
	begun atomic.Int64 // histories

	log     *capture.Log // of the check that asks, or nil
	strayed int64        // Steps with another context than the method's, before all histories

	seen       map[string]*historyResult // what is played once, by its line
	situations situations
	leaveOut   bool // leave out histories that go on from a situation to which another one has led
	hasSecrets bool // there is something that must not be told

	missingStep func() string // of a replacement, or "": it is looked for when it matters, as is
	mayKeep     func() bool   // whether some properties keep the thing when the stack is deleted
}

// explore plays histories until it has found enough. It uses t for bubbles and
// Contract.New, and does not fail it for a finding.
func explore(t *testing.T, c Contract, o ExploreOptions) exploration {
	t.Helper()
	k := calibrate(t, c, t.Name()+": "+original)
	x := newExplorer(t, k.contract(c), o, k)
	if c.Skip[stateCheck] == "" {
		x.out.fault, _ = k.fault()
	}
	defer capture.Redirect(slog.DiscardHandler)()
	defer collectLess()()
	ended := make(chan struct{})
	defer close(ended)
	go x.progress(ended)

	if f := x.learnStates(); f != nil {
		x.out.findings, x.out.played = []finding{*f}, 1
	}
	plain, faulty := []*historyResult{{}}, []*historyResult(nil) // without a fault, and with one
	if x.c.hasBefore(t) {
		plain = append(plain, &historyResult{playedHistory: playedHistory{History: history{{What: before}}, Reached: situation{Before: true}}})
	}
	for x.out.depth < x.o.Depth && !x.done() {
		x.out.depth++
		plain = x.run(x.extended(plain))
		faulty = x.run(append(withFaults(playedOf(plain), x.o.Faults), x.extended(faulty)...))
		if x.out.depth == 1 {
			x.runFuller()
		}
	}
	x.out.took = x.now().Sub(x.began)
	return x.out
}

// runFuller plays the faults of a Create of InPlace, if it has more to do than that of Properties. No history goes on from them.
func (x *explorer) runFuller() {
	if fuller := x.fuller(history{{What: original}}); fuller != nil {
		x.run(withFaults([]*playedHistory{&fuller.playedHistory}, x.o.Faults))
	}
}

// playedOf returns what the results say of the histories that begin with theirs.
func playedOf(results []*historyResult) []*playedHistory {
	all := make([]*playedHistory, len(results))
	for i, r := range results {
		all[i] = &r.playedHistory
	}
	return all
}

// extended returns the histories that go on from those that were played. Unless the options say how
// many to play, it leaves out those that go on from a situation to which another one has led.
func (x *explorer) extended(results []*historyResult) []history {
	all := playedOf(results)
	if x.leaveOut {
		first, again := x.situations.split(all)
		x.out.leftOut += len(extended(again, x.c.canDeploy))
		all = first
	}
	return extended(all, x.c.canDeploy)
}

// collectLess has garbage collected less often, until the function that it returns is called:
// histories leave much of it, and keep so little that a third of the time would go into collecting.
func collectLess() func() {
	const percent = 800
	before := debug.SetGCPercent(percent)
	if before < 0 || before > percent { // somebody wants less still
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}

func newExplorer(t *testing.T, c Contract, o ExploreOptions, k *calibration) *explorer {
	// What the options do not say.
	o.Depth = cmp.Or(o.Depth, 3)
	leaveOut := o.Histories == 0
	o.Histories = cmp.Or(o.Histories, defaultHistories())
	if o.Faults == nil {
		o.Faults = exploredFaults
	}
	now := o.now
	if now == nil {
		now = time.Now
	}
	if c.made == nil {
		c.made = new(sync.Map)
	}
	c.learnHandlerType(t)
	x := &explorer{
		out:      exploration{limits: make(map[string]int), stepless: c.Skip[stepsCheck] != ""},
		learned:  newLearned(k),
		t:        t,
		c:        c,
		o:        o,
		seen:     make(map[string]*historyResult),
		now:      now,
		began:    now(),
		leaveOut: leaveOut,
	}
	x.missingStep = sync.OnceValue(x.missingStepOf)
	x.mayKeep = sync.OnceValue(x.findKeeping)
	return x
}

// defaultHistories is how many histories are played if the options do not say.
func defaultHistories() int {
	if testing.Short() {
		return 1_000
	}
	return 3_000
}

// done reports whether the exploration has ended.
func (x *explorer) done() bool { return len(x.out.findings) > 0 || x.out.stopReason != "" }

// run plays histories, and returns those without harm, in order. It stops after
// maxFindings harmful ones.
func (x *explorer) run(all []history) (well []*historyResult) {
	if x.done() {
		return nil
	}

	// Keep to the budget of histories.
	if left := x.o.Histories - x.out.played; len(all) > left {
		x.out.leftOut += len(all) - left
		all = all[:left]
		x.out.stopReason = "as many as ExploreOptions.Histories says"
	}

	// The result of each, in order.
	for _, r := range x.playAll(all, playing{}) {
		if r == nil {
			x.out.stopReason = cmp.Or(x.out.stopReason, "as far as ExploreOptions.Budget lasted")
			continue
		}
		x.out.answers.merge(r.answers)
		switch f := r.first(); {
		case f.is(unplayable):
			x.out.diverged++
			continue
		case len(x.out.findings) == maxFindings:
			continue // played by another processor meanwhile
		case f == nil:
			well = append(well, r)
		case !x.isTold(*f):
			x.out.findings = append(x.out.findings, *f)
		}
		x.out.played++
		if r.Limit != "" {
			x.out.limits[r.Limit]++
		}
	}
	if len(x.out.findings) > 0 {
		x.out.stopReason = ""
	}
	return well
}

// isTold reports whether an earlier finding is the same harm in the same history, but for what becomes of the other
// resource, and for the Step at which something goes wrong.
func (x *explorer) isTold(f finding) bool {
	line := f.history.bare().String()
	return slices.ContainsFunc(x.out.findings, func(told finding) bool {
		return told.harm == f.harm && told.history.bare().String() == line
	})
}

// playAll plays histories on all processors, until there is enough. The results of those
// that it did not play are nil.
func (x *explorer) playAll(all []history, how playing) []*historyResult {
	results := make([]*historyResult, len(all))
	var next, found, returned atomic.Int64
	worker := func() {
		for found.Load() < maxFindings {
			i := int(next.Add(1)) - 1
			if i >= len(all) || x.isSpent() {
				break
			}
			x.begun.Add(1)
			results[i] = x.runOne(all[i], how)
			if results[i].doesHarm() {
				found.Add(1)
			}
		}
		returned.Add(1)
	}
	// In real time histories would take each other's time.
	workers := runtime.GOMAXPROCS(0)
	if x.c.RealTime {
		workers = 1
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(worker)
	}
	wg.Wait()
	// A worker that has not returned has ended its goroutine.
	if int(returned.Load()) < workers {
		x.t.FailNow() // Contract.New has failed the test and said why
	}
	return results
}

// isSpent reports whether the time for the exploration is over.
func (x *explorer) isSpent() bool {
	return x.o.Budget > 0 && x.now().Sub(x.began) > x.o.Budget
}

// progress reports on standard error how far the exploration has come.
func (x *explorer) progress(ended <-chan struct{}) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	began := time.Now()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			fmt.Fprintf(os.Stderr, "cfntest.Explore: %d histories in %v\n", x.begun.Load(), time.Since(began).Round(time.Second))
		}
	}
}

// An exploration is the result of Explore.
type exploration struct {
	findings   []finding // in the order of the histories, at most maxFindings
	played     int
	depth      int    // operations in the longest histories that were played
	stopReason string // it ended before it was through
	took       time.Duration
	limits     map[string]int // by the name of a limit, how many histories met it
	// diverged counts the histories that could not be played: they were planned from
	// an earlier run of their beginning, and this time it went another way. A client
	// that waits at random before it tries again has some.
	diverged int
	// leftOut counts the histories that were not played, as far as they are known: more
	// would go on from each of them.
	leftOut  int
	fault    string // of State, or ""
	stepless bool   // the Contract says that the service cannot call Step
	answers  answers
}

func (e exploration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d histories of up to %d operations and the deletion in %v", e.played, e.depth, e.took.Round(time.Millisecond))
	if e.stopReason != "" {
		b.WriteString(", " + e.stopReason)
	}
	if e.leftOut > 0 && len(e.findings) == 0 {
		fmt.Fprintf(&b, "; %d more were left out, with the histories that continue from them: set ExploreOptions.Histories to play all", e.leftOut)
	}
	if e.diverged > 0 {
		fmt.Fprintf(&b, "; %d were left out, since no request met the fault, or the beginning differed from an earlier run", e.diverged)
	}
	for _, doubtful := range e.answers.warnings() {
		b.WriteString("; " + doubtful)
	}
	return b.String()
}

// unprevented reports the histories whose harm no handler can prevent.
func (e exploration) unprevented() string {
	var b strings.Builder
	fmt.Fprintf(&b, "some of %d histories did harm that no handler can prevent; docs/rough_edges.md says what helps", e.played)
	for _, name := range slices.Sorted(maps.Keys(e.limits)) {
		fmt.Fprintf(&b, "\n%6d: %s", e.limits[name], name)
	}
	if e.stepless {
		b.WriteString("\nThe Contract skips " + stepsCheck + ": if the service calls no Step, a handler may be able to prevent some of this harm, and no fault at a Step is played")
	}
	return b.String()
}
