package play_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// boxContract is that of handlers of boxes in a depot.
func boxContract(function func(*depot) simulate.Function) play.Contract {
	return play.Contract{
		New:        func(testing.TB) play.Service { return newDepot().service(function) },
		Properties: boxProps{Room: "hall", Size: 1, Password: "secret"},
		InPlace:    boxProps{Room: "hall", Size: 2, Frozen: true, Password: "secret"},
		Replacing:  boxProps{Room: "attic", Size: 1, Password: "secret"},
		Refused:    boxProps{Room: "hall", Size: 100, Password: "secret"},
	}
}

var (
	namedBoxes     = boxContract(func(d *depot) simulate.Function { return process(named{d}) })
	foundBoxes     = boxContract(func(d *depot) simulate.Function { return process(found{d}) })
	chosenBoxes    = boxContract(func(d *depot) simulate.Function { return process(chosen{found{d}}) })
	undeletedBoxes = boxContract(func(d *depot) simulate.Function { return process(deletesNothing{named{d}}) })
)

// Right handlers do no harm that a handler could prevent. (TestCompared plays
// the first of them three deep.) A share is the first 100 histories.
func TestExploreFindsNothingInRightHandlers(t *testing.T) {
	for name, c := range map[string]play.Contract{"named": namedBoxes, "found": foundBoxes, "chosen": chosenBoxes} {
		t.Run(name, func(t *testing.T) {
			play.Explore(t, c, play.ExploreOptions{Depth: 2, Histories: testrun.Share(100, 10_000)})
		})
	}
}

// A client that waits at random tries again more often in one run than in another, so
// that a fault that was planned for its last step meets none. What was to follow then
// cannot be played, and shows nothing.
func TestExploreLeavesOutWhatWentAnotherWay(t *testing.T) {
	var deletes atomic.Int64
	c := boxContract(func(d *depot) simulate.Function { return process(retries{named{d}, &deletes}) })
	e := play.Exploration(t, c, play.ExploreOptions{Depth: 2, Faults: []fault.Kind{fault.HangAtStep}, Histories: testrun.Share(1000, 2000)})
	if e.Diverged == 0 || len(e.Findings) > 0 {
		t.Errorf("%d of %d histories went another way; found: %v", e.Diverged, e.Played, e.Findings)
	}
}

// retries is named with Deletes of different lengths.
type retries struct {
	named
	deletes *atomic.Int64
}

func (r retries) Delete(ctx context.Context, req *deletion) error {
	for range r.deletes.Add(1) * 7919 % 40 {
		if err := simulate.Step(ctx); err != nil {
			return err
		}
	}
	return r.named.Delete(ctx, req)
}

// In real time, one after the other, right handlers do no harm either.
func TestExploreInRealTime(t *testing.T) {
	c := namedBoxes
	c.RealTime, c.Timeout = true, time.Second
	play.Explore(t, c, play.ExploreOptions{
		Depth:  1,
		Faults: []fault.Kind{fault.Redeliver, fault.DieAfter, fault.DieAtStep, fault.ErrorAfter, fault.LoseAnswer},
	})
}

// Each limit excuses something that the right handlers do, or it would hide
// faults for nothing; and it is told where users look. (That a right handler meets those of
// replacements is in TestExploreTellsOnStandardErrorWhatNoHandlerCanPrevent.)
func TestLimitsAreNeededAndTold(t *testing.T) {
	neithers := play.Exploration(t, neitherBoxes, play.ExploreOptions{Depth: 1}).Limits
	if diff := cmp.Diff(slices.Sorted(slices.Values(play.LimitNames(true))), slices.Sorted(maps.Keys(neithers))); diff != "" {
		t.Errorf("the limits of the kind, and those that a right handler of it meets:\n%s", diff)
	}
	documentation, err := os.ReadFile("../../cfntest/explore.go")
	if err != nil {
		t.Fatal(err)
	}
	table := testrun.Limits(t, "../../docs/rough_edges.md")
	for _, limit := range append(play.LimitNames(false), play.LimitNames(true)...) {
		if !strings.Contains(string(documentation), `"`+limit+`"`) {
			t.Errorf("the documentation of Explore does not list the limit %q", limit)
		}
		isLimit := func(row testrun.Limit) bool { return row.Name == limit }
		if !slices.ContainsFunc(table, isLimit) {
			t.Errorf("docs/rough_edges.md does not list the limit %q", limit)
		}
	}
}

// What each limit excuses, and what it does not.
func TestLimits(t *testing.T) {
	const (
		isCancelled = "a cancelled replacement"
		dies        = "a replacement whose process or answer is lost"
		unnamed     = "a replacement that fails before Created"
		outOfTime   = "a replacement that runs out of time"
	)
	for _, test := range []struct{ line, named, found string }{
		{"v0 v2/cancelled", isCancelled, isCancelled},
		{"v0 v2/cancelled v1", isCancelled, isCancelled},
		{"v0 v2/cancelled v2", "", ""}, // adopts it
		{"v0/cancelled", "", ""},
		{"v0 v2!lose-answer@1", dies, dies},
		{"v0 v2!die-for-good@1", dies, dies},
		{"v0 v2!die-after@1", "", ""},                  // the next try adopts it
		{"v0 v2 refused!die-at-step:2@1", dies, ""},    // as this one's does, and fails
		{"v0 v2!fail-at-step:2@1", unnamed, ""},        // step 2 of found's is Find's
		{"v0 v2!fail-at-step:8@1", "unmet", unnamed},   // after the effect, and before Created
		{"v0 v2!fail-at-step:4@1", "", ""},             // named
		{"v0 v2!hang-at-step:2@1", outOfTime, ""},      // Find hangs
		{"v0 v2!hang-at-step:8@1", "unmet", outOfTime}, // the same
		{"v0 v2!error-after@1", "", ""},                // undone
		{"v0 v2/sibling-fails!die-for-good@2", "", ""}, // the rollback is continued
		{"v0!die-for-good@1", "", ""},
	} {
		for name, want := range map[string]string{"named": test.named, "found": test.found} {
			if want == "unmet" {
				continue
			}
			c := map[string]play.Contract{"named": namedBoxes, "found": foundBoxes}[name]
			if found, limit := play.Replayed(t, c, test.line); found != "" || limit != want {
				t.Errorf("%s, %s: met the limit %q, want %q. %s", name, test.line, limit, want, found)
			}
		}
	}
}

// The first finding is the shortest history, told with what CloudFormation
// would do and the line that plays it again.
func TestExploreTellsWhatItFinds(t *testing.T) {
	got := play.Exploration(t, undeletedBoxes, play.ExploreOptions{})
	if want := []string{"v0"}; !slices.Equal(got.Lines, want) {
		t.Fatalf("found %q, want %q", got.Lines, want)
	}
	for _, want := range []string{
		"left behind, by the history \"v0\"\n",
		"After delete: The service still has my-stack-resource-",
		"The rule: a deleted stack leaves nothing behind.\n",
		"CloudFormation would have forgotten the thing, which stays in the account, and on the bill.\n",
		"stack CREATE_COMPLETE\n",
		`cfntest.Replay(t, contract, "v0")`,
	} {
		if !strings.Contains(got.Findings[0], want) {
			t.Errorf("the finding does not say %q:\n%s", want, got.Findings[0])
		}
	}
	if strings.Contains(got.Findings[0], "hall") {
		t.Errorf("the finding has a property's value:\n%s", got.Findings[0])
	}
}

// A line leads to what Explore found, word for word.
func TestReplayPlaysWhatExploreFound(t *testing.T) {
	for _, c := range []play.Contract{undeletedBoxes, boxContract(func(d *depot) simulate.Function { return process(untraceableName{named{d}}) })} {
		got := play.Exploration(t, c, play.ExploreOptions{})
		if len(got.Lines) == 0 {
			t.Fatal("nothing was found")
		}
		for i, line := range got.Lines {
			found, _ := play.Replayed(t, c, line)
			if diff := cmp.Diff(got.Findings[i], found); diff != "" {
				t.Errorf("%s (-Explore +Replay):\n%s", line, diff)
			}
		}
	}
	play.Replay(t, namedBoxes, "v0 v2/sibling-fails!die-at-step:3@2 delete")
}

// untraceableName gives its box a name that nothing leads to.
type untraceableName struct{ named }

func (h untraceableName) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID() + "-x"
	if err = h.d.build(ctx, id, box{room: req.Properties.Room}); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func TestExploreRefusesWhatItCannotDo(t *testing.T) {
	for want, o := range map[string]play.ExploreOptions{
		"Depth is -1":                          {Depth: -1},
		"Histories is -1":                      {Histories: -1},
		"Budget is -1ns":                       {Budget: -1},
		`Faults has "explode"`:                 {Faults: []fault.Kind{"explode"}},
		`Faults has "cancel-while-running": u`: {Faults: []fault.Kind{fault.CancelWhileRunning}},
	} {
		if err := play.CheckOptions(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q in it", err, want)
		}
	}
}

// triesItsName tries to make a box until its name is free.
type triesItsName struct{ named }

func (h triesItsName) Create(ctx context.Context, req *creation) (data boxData, err error) {
	began := time.Now()
	err = cfnresource.Retry(ctx, func(ctx context.Context) error {
		err := simulate.Step(ctx)
		if err == nil && time.Since(began) < 10*time.Second {
			err = cfnresource.Errorf(cfnresource.CodeResourceConflict, "the name is not free yet")
		}
		return err
	})
	if err != nil {
		return data, err
	}
	return h.named.Create(ctx, req)
}

// What is found depends neither on the number of processors, nor on the chance in the pauses of Retry.
func TestExploreIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range []play.Contract{
		foundBoxes,
		boxContract(func(d *depot) simulate.Function { return process(untraceableName{named{d}}) }),
		boxContract(func(d *depot) simulate.Function { return process(triesItsName{named{d}}) }),
	} {
		o := play.ExploreOptions{Histories: testrun.Share(120, 700)}
		runtime.GOMAXPROCS(1)
		one := play.Exploration(t, c, o)
		runtime.GOMAXPROCS(4)
		four := play.Exploration(t, c, o)
		if diff := cmp.Diff(one, four); diff != "" {
			t.Errorf("on one processor, and on four:\n%s", diff)
		}
	}
}

func TestExploreOptions(t *testing.T) {
	t.Run("Histories", func(t *testing.T) {
		got := play.Exploration(t, namedBoxes, play.ExploreOptions{Histories: 150})
		if got.Played != 150 || !strings.Contains(got.Why, "Histories") {
			t.Errorf("played %d of 150, %s", got.Played, got.Why)
		}
	})
	t.Run("Budget", func(t *testing.T) {
		const budget = 20 // each history takes one
		got := play.Budgeted(t, namedBoxes, budget)
		if got.Played != budget || !strings.Contains(got.Why, "Budget") {
			t.Errorf("played %d of a budget for %d, %s", got.Played, budget, got.Why)
		}
	})
	t.Run("Faults", func(t *testing.T) {
		dies := boxContract(func(d *depot) simulate.Function { return process(untraceableName{named{d}}) })
		for kind, want := range map[fault.Kind]string{fault.DieBefore: "v0/cancelled", fault.ErrorAfter: "v0/cancelled"} {
			got := play.Exploration(t, dies, play.ExploreOptions{Faults: []fault.Kind{kind}})
			if len(got.Lines) == 0 || got.Lines[0] != want {
				t.Errorf("with %s alone, found %q, want %s first", kind, got.Lines, want)
			}
		}
	})
	t.Run("Depth", func(t *testing.T) {
		some := []fault.Kind{fault.LoseAnswer, fault.ErrorAfter}
		one, two := play.Exploration(t, namedBoxes, play.ExploreOptions{Depth: 1, Faults: some}), play.Exploration(t, namedBoxes, play.ExploreOptions{Depth: 2, Faults: some})
		if one.Played < 10 || two.Played < 3*one.Played {
			t.Errorf("played %d one deep and %d two deep", one.Played, two.Played)
		}
	})
}

// By default Explore goes on from each situation once, says how much it leaves out, and
// plays it if it is asked to.
func TestExploreSaysWhatItLeavesOut(t *testing.T) {
	some := []fault.Kind{fault.LoseAnswer, fault.ErrorAfter, fault.DieAfter}
	byDefault := play.Exploration(t, namedBoxes, play.ExploreOptions{Depth: 2, Faults: some})
	all := play.Exploration(t, namedBoxes, play.ExploreOptions{Depth: 2, Faults: some, Histories: 100_000})
	if byDefault.LeftOut == 0 || byDefault.Played >= all.Played || all.LeftOut != 0 || strings.Contains(all.Log, "left out") {
		t.Errorf("by default: %s; all: %s", byDefault.Log, all.Log)
	}
	if want := fmt.Sprintf("; %d more were left out", byDefault.LeftOut); !strings.Contains(byDefault.Log, want) {
		t.Errorf("the log says %q, want %q in it", byDefault.Log, want)
	}
	if some := play.Exploration(t, namedBoxes, play.ExploreOptions{Depth: 2, Histories: 100}); some.Played != 100 || some.LeftOut == 0 {
		t.Errorf("of 100: %s", some.Log)
	}
}

// After three histories that do harm it is enough, though there are more.
func TestExploreEnds(t *testing.T) {
	wrong := boxContract(func(d *depot) simulate.Function { return process(failsIfExists{named{d}}) })
	if got := play.Exploration(t, wrong, play.ExploreOptions{}); len(got.Findings) != 3 || got.Played > 100 {
		t.Errorf("%d findings in %d histories: %q", len(got.Findings), got.Played, got.Lines)
	}
}

// What one history shows is not told once more for each way in which another resource fails, nor for each Step at which
// its process can die.
func TestExploreTellsADefectOnce(t *testing.T) {
	for name, want := range map[string][]string{
		"returnsTooMuchData": {"v0 v1"},
		"refusesReplacement": {"v0 v2"},
		"cannotShrink":       {"v0 v1/sibling-fails", "v0 refused"}, // which are two places
	} {
		got := play.Exploration(t, wrongNamed(name).contract(), play.ExploreOptions{Depth: 2})
		if diff := cmp.Diff(want, got.Lines); diff != "" {
			t.Errorf("%s: the lines (-want +got):\n%s", name, diff)
		}
	}
	dies := play.ExploreOptions{Depth: 1, Faults: []fault.Kind{fault.DieAtStep}}
	got := play.Exploration(t, wrongNamed("existingIsComplete").contract(), dies)
	if diff := cmp.Diff([]string{"v0!die-at-step:2@1", "refused!die-at-step:2@1"}, got.Lines); diff != "" {
		t.Errorf("at several Steps: the lines (-want +got):\n%s", diff)
	}
}

// A goroutine that a handler leaves behind is found, and does not end the tests' process.
func TestExploreFindsGoroutinesThatStay(t *testing.T) {
	stays := boxContract(func(d *depot) simulate.Function { return process(leaksGoroutine{named{d}}) })
	got := play.Exploration(t, stays, play.ExploreOptions{Depth: 1})
	if len(got.Findings) == 0 || !strings.Contains(got.Findings[0], "blocked forever") || got.Lines[0] != "v0" {
		t.Errorf("%+v", got)
	}
}

// leaksGoroutine starts a goroutine that never ends.
type leaksGoroutine struct{ named }

func (h leaksGoroutine) Create(ctx context.Context, req *creation) (boxData, error) {
	go func() { <-make(chan struct{}) }()
	return h.named.Create(ctx, req)
}

// Without an InPlace, a Replacing and a Refused there is still something to explore.
func TestExploreWithPropertiesAlone(t *testing.T) {
	c := namedBoxes
	c.InPlace, c.Replacing, c.Refused = nil, nil, nil
	if got := play.Exploration(t, c, play.ExploreOptions{}); got.Played < 100 || len(got.Findings) > 0 || got.Why != "" {
		t.Errorf("%+v", got)
	}
}

// What the Contract has no properties for is not deployed without any: the
// handler would be blamed for it.
func TestReplayNeedsThePropertiesOfItsHistory(t *testing.T) {
	c := depotContract(rightHandlers["named"])
	c.InPlace, c.Replacing, c.Refused = nil, nil, nil
	for line, want := range map[string]string{"v0 v1": "no InPlace", "v0 v2/sibling-fails": "no Replacing", "refused": "no Refused"} {
		if err := play.HistoryError(c, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if err := play.HistoryError(c, "v0 rollback delete"); err != nil {
		t.Error(err)
	}
}

// A fault that nothing meets is not played in silence.
func TestReplaySaysThatAFaultIsNotMet(t *testing.T) {
	for line, want := range map[string]string{
		"v0!die-at-step:99@1":    "No request met the fault die-at-step 99",
		"v0 v1!fail-at-step:9@9": "No request met the fault fail-at-step 9",
		"v0!never-ready@1":       "No request met the fault never-ready",
		"refused!error-after@1":  "No request met the fault error-after",
	} {
		if found, _ := play.Replayed(t, namedBoxes, line); !strings.Contains(found, want) {
			t.Errorf("%s: found %q, want %q", line, found, want)
		}
	}
	stepless := play.Contract{Properties: struct{}{}, New: func(testing.TB) play.Service {
		return play.Service{Function: func() simulate.Function { return process(issues{}) }}
	}}
	if found, _ := play.Replayed(t, stepless, "v0!unreachable@1"); !strings.Contains(found, "No request met the fault unreachable") {
		t.Errorf("without a Step: found %q", found)
	}
}

// A line that was found under a reading is replayed under it.
func TestReplayAssumesWhatTheLineSays(t *testing.T) {
	const lost = "v0/kept!lose-answer@1 v0"
	for line, harm := range map[string]bool{lost: false, "preserved-create=create-first: " + lost: true, "preserved-create: " + lost: true} {
		if found, _ := play.Replayed(t, namedBoxes, line); (found != "") != harm {
			t.Errorf("%s: found %q", line, found)
		}
	}
}

// What a stack is shown to use is not deleted, whichever way CloudFormation goes: the
// cleanup's Delete fails.
func TestACreateThatIsTriedAgainFirst(t *testing.T) {
	for _, process := range []func(d *depot) simulate.Function{
		func(d *depot) simulate.Function { return continuing(named{d}) },
		func(d *depot) simulate.Function { return continuing(found{d}) },
	} {
		c := boxContract(process)
		withLongTimeout(&c)
		for _, line := range []string{"v0/kept!lose-answer@1 v0", "v0/kept!error-after@1 v0"} {
			if found, _ := play.Replayed(t, c, "preserved-create: "+line); !strings.HasPrefix(found, "a Delete that fails") {
				t.Errorf("%s: found %q", line, found)
			}
			if found, _ := play.Replayed(t, c, line); found != "" {
				t.Errorf("as assumed, %s: found %q", line, found)
			}
		}
	}
}

// Each history that is found is a page of its own, if that is asked for: what should
// have been, what happened, and no value of a property.
func TestExploreWritesPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	pages := func(name string) []string {
		found, err := filepath.Glob(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	explore := func(t *testing.T) {
		play.Explore(t, undeletedBoxes, play.ExploreOptions{HTML: dir, Depth: 1})
	}
	runTest(explore)
	found, all := pages("*-1.html"), len(pages("*"))
	if len(found) != 1 {
		t.Fatalf("%v", found)
	}
	runTest(explore) // as a test may that explores twice
	if again := len(pages("*")); again != 2*all {
		t.Errorf("%d pages after %d, want as many again", again, all)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a deleted stack leaves nothing behind.", "The service still has my-stack-resource-", "cfntest.Replay(t, contract, &#34;v0&#34;)",
		"<strong>Create</strong> of Resource", "CREATE_COMPLETE", "DELETE_COMPLETE", "the handler&#39;s Create", `class="remains"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	for _, value := range []string{"hall", "attic", "X-Amz-Signature"} {
		if strings.Contains(string(text), value) {
			t.Errorf("the page has %s", value)
		}
	}
}

// spins has Update try again at once, for ever or until its context ends.
type spins struct {
	named
	looks bool
}

func (h spins) Update(ctx context.Context, req *updating) (data boxData, err error) {
	for again := true; again; again = err != nil && (!h.looks || ctx.Err() == nil) {
		data, err = h.named.Update(ctx, req)
	}
	return data, err
}

// A method that tries again without a pause does not keep virtual time from passing.
func TestAMethodThatTriesAgainAtOnceComesToItsEnd(t *testing.T) {
	for looks, want := range map[bool]string{true: "", false: "ignores the end of its context"} {
		c := boxContract(func(d *depot) simulate.Function { return process(spins{named{d}, looks}) })
		if found, _ := play.Replayed(t, c, "v0 v1!busy@1"); !strings.Contains(found, want) || want == "" && found != "" {
			t.Errorf("with a look at its context %t: found %q, want %q", looks, found, want)
		}
	}
}
