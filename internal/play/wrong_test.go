package play_test

import (
	"io"
	"log"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// depotContract is the contract of every handler here, but for the types that
// some have for their properties.
func depotContract(process func(d *depot) simulate.Function) play.Contract {
	const password = "open-sesame"
	return play.Contract{
		New: func(testing.TB) play.Service {
			return newDepot().service(process)
		},
		Properties: boxProps{Room: "hall", Size: 10, Frozen: true, Password: password},
		InPlace:    boxProps{Room: "hall", Size: 60, Password: password},
		Replacing:  boxProps{Room: "cellar", Size: 10, Frozen: true, Password: password},
		Refused:    boxProps{Room: "hall", Size: 100, Password: password},
	}
}

func (w wrongHandler) contract() play.Contract {
	c := depotContract(w.process)
	if w.adapt != nil {
		w.adapt(&c)
	}
	return c
}

// some returns the handlers of some names, or all of them in a thorough run.
func some[H any](all map[string]H, names ...string) map[string]H {
	share := maps.Clone(all)
	maps.DeleteFunc(share, func(name string, _ H) bool { return !testrun.Thorough() && !slices.Contains(names, name) })
	return share
}

// rightHandlers are the handlers from which the wrong ones are derived.
var rightHandlers = map[string]func(d *depot) simulate.Function{
	"named":  func(d *depot) simulate.Function { return process(named{d}) },
	"found":  func(d *depot) simulate.Function { return process(found{d}) },
	"chosen": func(d *depot) simulate.Function { return process(chosen{found{d}}) },

	// Right counterparts of wrong ones.
	"putOnly":                func(d *depot) simulate.Function { return process(putOnly{d}) },
	"retriesThrottling":      func(d *depot) simulate.Function { return process(retriesThrottling{named{d}}) },
	"insisting":              func(d *depot) simulate.Function { return process(insisting{found{d}}) },
	"waiting":                func(d *depot) simulate.Function { return process(waiting{named{d}}) },
	"waitingFound":           func(d *depot) simulate.Function { return process(waitingFound{found{d}}) },
	"tellsSize":              func(d *depot) simulate.Function { return process(tellsSize{named{d}}) },
	"inOneVersionedDocument": func(d *depot) simulate.Function { return process(inOneDocument{named{d}, true}) },
	"keyed": func(d *depot) simulate.Function {
		return process(keyed{named{d}, func(doors map[string]int, key string) { delete(doors, key) }})
	},
	"findsByStackID": func(d *depot) simulate.Function { return process(findsByStackID{found{d}}) },
	"renews": func(d *depot) simulate.Function {
		now := time.Now()
		return process(renews{opensOnce{named{d}, &now}})
	},
}

// rightContinuing are those of functions that continue.
var rightContinuing = map[string]func(d *depot) simulate.Function{
	"waiting":        func(d *depot) simulate.Function { return continuing(waiting{named{d}}) },
	"waitingFound":   func(d *depot) simulate.Function { return continuing(waitingFound{found{d}}) },
	"waitingPutOnly": func(d *depot) simulate.Function { return continuing(waitingPutOnly{putOnly{d}}) },
	"slowByItself":   func(d *depot) simulate.Function { return continuing(slowByItself{waiting{named{d}}}) },
	"returnsIfGone":  func(d *depot) simulate.Function { return continuing(returnsIfGone{waiting{named{d}}}) },
	"asksOnce":       func(d *depot) simulate.Function { return continuing(asksOnce{waiting{named{d}}}) },
}

func continuingContract(process func(d *depot) simulate.Function) play.Contract {
	c := depotContract(process)
	withLongTimeout(&c)
	return c
}

func TestRightHandlersThatContinuePassEveryCheck(t *testing.T) {
	for name, process := range some(rightContinuing, "waiting", "waitingFound") {
		t.Run(name, func(t *testing.T) {
			asked := 0
			for _, r := range play.RunChecks(t, continuingContract(process)) {
				// Two do not wait in Delete; a PUT does not say what it made.
				skips := r.Name == "continue-deletes" && (name == "waitingFound" || name == "waitingPutOnly") || r.Name == "update-not-updatable-then-rollback" || r.Name == "thing-of-before" ||
					name == "waitingPutOnly" && strings.HasPrefix(r.Text, "Create overwrites")
				if want := map[bool]string{false: "passed", true: "skipped"}[skips]; r.Outcome != want {
					t.Errorf("%s %s: %s", r.Name, r.Outcome, r.Text)
				}
				if strings.HasPrefix(r.Name, "continue-") {
					asked++
				}
			}
			if asked != 7 {
				t.Errorf("%d checks of chains were asked", asked)
			}
		})
	}
}

// Faults of chains do no harm with a right handler, except for the named limits.
func TestExploreFindsNothingInRightHandlersThatContinue(t *testing.T) {
	for name, process := range some(rightContinuing, "waiting", "waitingPutOnly") {
		t.Run(name, func(t *testing.T) {
			if found := play.FirstFinding(t, continuingContract(process), testrun.Share(100, 1200)); found.History != "" {
				t.Error(found.Text)
			}
		})
	}
}

func TestRightHandlersPassEveryCheck(t *testing.T) {
	for name, process := range some(rightHandlers, "named", "found", "chosen", "waiting") {
		t.Run(name, func(t *testing.T) {
			results := play.RunChecks(t, depotContract(process))
			if len(results) == 0 {
				t.Fatal("there are no checks")
			}
			for _, r := range results {
				// No change is refused in place, and no other program was there.
				notAsked := (r.Name == "update-not-updatable-then-rollback" || r.Name == "thing-of-before") && r.Outcome == "skipped"
				// A PUT does not say what it made.
				unsaid := name == "putOnly" && strings.HasPrefix(r.Text, "Create overwrites")
				noWait := strings.Contains(r.Name, "never-ready") && !strings.HasPrefix(name, "waiting") && r.Outcome == "skipped"
				if r.Outcome != "passed" && !unsaid && !noWait && !notAsked {
					t.Errorf("%s %s: %s", r.Name, r.Outcome, r.Text)
				}
			}
		})
	}
}

// someWrongHandlers returns enough wrong handlers that each check fails for one, each with the checks that no other before
// it fails, or all of them with all of theirs in a thorough run.
func someWrongHandlers() (some []wrongHandler) {
	if testrun.Thorough() {
		return wrongHandlers
	}
	seen := map[string]bool{}
	for _, w := range wrongHandlers {
		w.checks = slices.DeleteFunc(slices.Clone(w.checks), func(check string) bool { return seen[check] })
		for _, check := range w.checks {
			seen[check] = true
		}
		if len(w.checks) > 0 {
			some = append(some, w)
		}
	}
	return some
}

// silence keeps off the terminal what some of them print and should not.
func silence(t *testing.T) {
	writer, stderr := log.Writer(), os.Stderr
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	log.SetOutput(io.Discard)
	os.Stderr = null
	t.Cleanup(func() { log.SetOutput(writer); os.Stderr = stderr; _ = null.Close() })
}

// Each wrong handler fails the check for its fault.
func TestTheCheckForAFaultFails(t *testing.T) {
	silence(t)
	for _, w := range wrongHandlers {
		if text, _ := play.RunCheck(t, w.contract(), w.checks[0]); !strings.Contains(text, "CloudFormation would have") {
			t.Errorf("%s passes %s: %s", w.name, w.checks[0], text)
		}
	}
}

// Each wrong handler fails the checks that are listed, and no others. The others are asked of a
// share.
func TestWrongHandlersFailTheirChecks(t *testing.T) {
	silence(t)
	for _, w := range someWrongHandlers() {
		t.Run(w.name, func(t *testing.T) {
			failed, only := map[string]string{}, w.checks
			if testrun.Thorough() {
				only = nil
			}
			for _, r := range play.RunChecks(t, w.contract(), only...) {
				if r.Outcome == "failed" {
					failed[r.Name] = r.Text
				}
			}
			got := slices.Sorted(maps.Keys(failed))
			if diff := cmp.Diff(slices.Sorted(slices.Values(w.checks)), got); diff != "" {
				t.Errorf("failing checks (-want +got):\n%s", diff)
				for _, name := range got {
					if !slices.Contains(w.checks, name) {
						t.Logf("%s: %s", name, failed[name])
					}
				}
			}
		})
	}
}

// What a check has played does the same harm when Replay plays it again.
func TestReplayPlaysTheHistoryOfACheck(t *testing.T) {
	silence(t)
	replayed := 0
	for _, w := range someWrongHandlers() {
		for _, check := range w.checks {
			text, _ := play.RunCheck(t, w.contract(), check)
			_, line, ok := strings.Cut(text, "To play it again: cfntest.Replay(t, contract, ")
			if !ok {
				continue // it tells what several histories show together
			}
			replayed++
			line, err := strconv.Unquote(strings.TrimSuffix(line, ")"))
			if err != nil {
				t.Fatal(err)
			}
			if found, _ := play.Replayed(t, w.contract(), line); !strings.Contains(found, "CloudFormation would have") {
				t.Errorf("%s fails %s by the history %q, which does no harm when it is played again", w.name, check, line)
			}
		}
	}
	if replayed < 40 {
		t.Errorf("%d checks have a history", replayed)
	}
}

// A check that no wrong handler fails is one that cannot fail.
func TestEachCheckFailsForSomeWrongHandler(t *testing.T) {
	failed := map[string]bool{}
	for _, w := range wrongHandlers {
		for _, check := range w.checks {
			failed[check] = true
		}
	}
	for _, name := range play.CheckNames() {
		if !failed[name] {
			t.Errorf("no wrong handler fails %s", name)
		}
	}
}

// Each row has a name of its own, and says why if Explore does not find the handler.
func TestWrongHandlersAreEachOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range wrongHandlers {
		if seen[w.name] {
			t.Errorf("%s is there twice", w.name)
		}
		seen[w.name] = true
		if len(w.checks) == 0 || (w.explored == "") != (w.why != "") {
			t.Errorf("%s: say which checks fail, and why Explore does not find it", w.name)
		}
	}
	if len(wrongHandlers) < 30 {
		t.Errorf("there are %d", len(wrongHandlers))
	}
}

// faultsFor returns the faults among which a history is looked for: only its own, or all in a
// thorough run.
func faultsFor(line string) (kinds []fault.Kind) {
	if testrun.Thorough() {
		return nil
	}
	return slices.DeleteFunc(simulate.Kinds(), func(k fault.Kind) bool {
		return !strings.Contains(line, "!"+string(k)+"@") && !strings.Contains(line, "!"+string(k)+":")
	})
}

// Explore finds each fault that shows in the life of a stack, and first the
// shortest history in which it does.
func TestExploreFindsWrongHandlers(t *testing.T) {
	for _, w := range someWrongHandlers() {
		if w.explored == "" {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			found := play.FirstFinding(t, w.contract(), 0, faultsFor(w.explored)...)
			if found.History != w.explored {
				t.Errorf("the first of %d histories is %q, want %q\n%s", found.Played, found.History, w.explored, found.Text)
			}
		})
	}
}

// A wrongHandler is a right handler with one fault.
type wrongHandler struct {
	name    string // of its type, which says what it does wrong
	process func(d *depot) simulate.Function
	adapt   func(c *play.Contract) // changes its contract; or nil
	// checks are the checks of TestHandler that fail; all others pass. The first is
	// the check for this fault.
	checks []string
	// explored is the history that Explore finds first with its default options: the shortest in
	// which the fault shows. If it is empty, the fault shows in no history, and why says why.
	explored string
	why      string
}

// wrongHandlers are all wrong handlers. Each is defined beside its row, in the file
// for the method that has the fault.
var wrongHandlers []wrongHandler

func explored(history string) wrongHandler { return wrongHandler{explored: history} }
func unexplored(why string) wrongHandler   { return wrongHandler{why: why} }

func (w wrongHandler) with(adapt func(c *play.Contract)) wrongHandler {
	w.adapt = adapt
	return w
}

// wrong adds a row: what Explore finds in a handler, and the checks that it fails.
func wrong[H cfnresource.Handler[P, D], P, D any](of func(d *depot) H, w wrongHandler, checks ...string) bool {
	return wrongFunction(reflect.TypeFor[H]().Name(), func(d *depot) simulate.Function { return process(of(d)) }, w, checks...)
}

// wrongContinuing adds a row of a function that continues.
func wrongContinuing[H cfnresource.Handler[P, D], P, D any](of func(d *depot) H, w wrongHandler, checks ...string) bool {
	function := func(d *depot) simulate.Function { return continuing(of(d)) }
	return wrongFunction(reflect.TypeFor[H]().Name(), function, w.with(withLongTimeout), checks...)
}

// wrongProps adds a row of a handler with nothing wrong but its properties.
func wrongProps[P interface{ box() boxProps }](of func(p boxProps) P, w wrongHandler, checks ...string) bool {
	function := func(d *depot) simulate.Function { return process(namedOf[P]{d}) }
	return wrongFunction(reflect.TypeFor[P]().Name(), function, w.with(propsOf(of)), checks...)
}

func wrongFunction(name string, process func(d *depot) simulate.Function, w wrongHandler, checks ...string) bool {
	w.name, w.process, w.checks = name, process, checks
	wrongHandlers = append(wrongHandlers, w)
	return true
}

// propsOf gives a contract properties of another type.
func propsOf[P any](of func(p boxProps) P) func(c *play.Contract) {
	return func(c *play.Contract) {
		for _, p := range []*any{&c.Properties, &c.InPlace, &c.Replacing, &c.Refused} {
			*p = of((*p).(boxProps))
		}
	}
}
