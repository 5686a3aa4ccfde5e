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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
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

	missingStep func() string // of a replacement, or "": it is looked for when it matters
}

// A playing says how a history is played.
type playing struct {
	learns bool         // what its Creates lead to is learned
	tells  bool         // its story is kept even if it does no harm
	log    *capture.Log // of a check, whose histories are played one after the other; or nil
	watch  *watch       // looks at the service in the last operation; or nil
	hears  bool         // what the handler writes is looked at: to the log, and to the standard streams, which all histories share
}

// A learned is what is known before a history is played: the history's result depends on that and on nothing else. It holds
// the results of Creates.
type learned struct {
	calibration *calibration // of State; nil in what one history has taught

	want  map[string]any            // by version, the state
	ids   map[string]string         // and the ID
	data  map[string]map[string]any // and the Data, but for
	fresh map[string]bool           // the names in Data whose values differ from Create to Create

	refused   map[string]bool      // the versions that a Create refuses
	effects   map[string]any       // what Effects shows, by the line of a history in which nothing goes wrong
	dataAfter map[string][]allData // the Data after each operation of one, by its line
	keeps     map[string]bool      // the versions that a Delete keeps, whose histories do not end with one

	empties    bool // a Delete removes what users have put into the resource
	overwrites bool // Create overwrites an existing thing, and cannot call Created
}

func newLearned(k *calibration) learned {
	return learned{
		calibration: k,
		want:        map[string]any{}, ids: map[string]string{}, data: map[string]map[string]any{}, fresh: map[string]bool{},
		refused: map[string]bool{}, effects: map[string]any{}, dataAfter: map[string][]allData{}, keeps: map[string]bool{},
	}
}

// add adds what a history has taught. What is known stays: a later Create, in a history with time in it, may show an age.
func (l learned) add(more learned) {
	for version := range more.want {
		if _, known := l.want[version]; !known {
			l.want[version], l.ids[version] = more.want[version], more.ids[version]
		}
	}
	for version, data := range more.data {
		if l.data[version] == nil {
			l.data[version] = data
		}
	}
	for name, differs := range more.fresh {
		l.fresh[name] = l.fresh[name] || differs
	}
	maps.Copy(l.refused, more.refused)
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
	}
	x.out.took = x.now().Sub(x.began)
	return x.out
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
	if !x.leaveOut {
		return extended(all, x.c.canDeploy)
	}
	first, again := x.situations.split(all)
	x.out.leftOut += len(extended(again, x.c.canDeploy))
	return extended(first, x.c.canDeploy)
}

// collectLess has garbage collected less often, until the function that it returns is called:
// histories leave much of it, and keep so little that a third of the time would go into collecting.
func collectLess() func() {
	const percent = 400
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

// doesHarm reports whether a history was played that did harm.
func (r *historyResult) doesHarm() bool {
	f := r.first()
	return f != nil && f.harm != unplayable
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
	workers := runtime.GOMAXPROCS(0)
	if x.c.RealTime {
		workers = 1
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(worker)
	}
	wg.Wait()
	if int(returned.Load()) < workers {
		x.t.FailNow() // Contract.New has failed the test and said why
	}
	return results
}

// isSpent reports whether the time for the exploration is over.
func (x *explorer) isSpent() bool {
	return x.o.Budget > 0 && x.now().Sub(x.began) > x.o.Budget
}

// runOne plays a history. If that meets a limit, it may play a second one to decide
// whether this handler could have prevented the harm.
func (x *explorer) runOne(h history, how playing) *historyResult {
	r := x.runAlone(h, how)
	for range reruns(x.c) {
		if r.found != nil {
			r = x.runAlone(h, how)
		}
	}
	if r.found == nil && r.refusedForeign != nil && x.runAlone(h.withNativeID(), how).isUpdated() {
		r.found = r.refusedForeign
	}
	if earlier, ok := h.oneStepEarlier(r.Limit); ok && !x.learned.overwrites {
		switch {
		case x.missingStep() != "":
			r.excused.detail += "\nA handler that has the service's reply can prevent this, but the fake does not show whether it has the reply: " + x.missingStep() + "."
			fallthrough
		case x.runAlone(earlier, how).Limit == r.Limit: // a limit of one step, and of the one before
			r.found, r.Limit = r.excused, ""
		}
	}
	return r
}

// runAlone plays a history in a bubble of its own.
func (x *explorer) runAlone(h history, how playing) (r *historyResult) {
	var err error
	capture.WithLabel(fmt.Sprintf("%s: %v", x.t.Name(), h), func() {
		if x.c.RealTime {
			r = x.runHistory(x.t, h, how)
			return
		}
		err = simulate.Bubble(x.t, func(t *testing.T) { r = x.runHistory(t, h, how) })
	})
	switch {
	case r == nil && err == nil:
		x.t.Fatalf("cfntest: the history %q ended before its time: New, or a function of the Service, calls t.Skip or t.FailNow", h)
	case err == nil:
	case r == nil:
		x.t.Fatalf("cfntest: the history %q: %v", h, err)
	case r.found == nil: // also a goroutine that the handler has started
		r.found = &finding{
			assume:  x.o.Assume,
			history: h,
			harm:    neverReturns,
			at:      h[len(h)-1],
			detail:  err.Error() + ".",
			story:   cmp.Or(r.story, "Replay shows it."),
		}
	}
	return r
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
