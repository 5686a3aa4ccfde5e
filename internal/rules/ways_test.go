package rules_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// TestEveryWay runs Handle with every outcome at every effect, and holds the
// promises over what it did and answered. A share is the first ways of each fact.
func TestEveryWay(t *testing.T) {
	facts := everyFact()
	for _, most := range []int{300, testrun.Share(2_000, math.MaxInt)} { // a few of each first: what is broken is seen soon
		n, broken := walk(facts, most, func() bool { return true })
		if broken != "" {
			t.Fatal(broken)
		}
		t.Logf("%d ways, %d of each fact at most", n, most)
	}
}

// walk walks so many ways of each fact at most, until one breaks a promise. It
// holds the promises over those that matter.
func walk(facts []given, most int, matters func() bool) (total int, broken string) {
	for _, f := range facts {
		w := &way{facts: f}
		for n := 1; ; n++ {
			if broken := w.walk(matters); broken != "" {
				return total, fmt.Sprintf("%s\n%s", broken, w)
			}
			total++
			if n == most || !w.next() {
				break
			}
		}
	}
	return total, ""
}

// everyFact returns the facts that the ways begin with.
func everyFact() (all []given) {
	for _, finds := range []bool{false, true} {
		base := given{Facts: rules.Facts{StableID: stableID, OldStableID: oldStable, Finds: finds, Makes: true}}
		all = append(all, events(base)...)

		late := base
		late.Late = true
		all = append(all, events(late)...)
		all = append(all, chains(base)...)
		for _, p := range []rules.Problems{{Invalid: "Size"}, {Unknown: "Siez"}, {Unresolved: "Password"}} {
			with := base
			with.Problems = p
			all = append(all, events(with)...)
		}
		for _, end := range []rules.End{rules.Failed, rules.Unknown} {
			refused := base
			refused.Refused = rules.Outcome{End: end, Reason: "it is refused"}
			all = append(all, events(refused)...)
		}
	}
	return all
}

// chains returns events of a function that may continue them, and of invocations that do.
func chains(base given) (all []given) {
	base.Continues = true
	all = representative(base)
	for _, began := range []rules.Phase{rules.Forward, rules.Back} {
		for _, created := range []string{"", made} {
			link := base
			link.Chain, link.began = rules.Chain{Links: 1, CreatedID: created}, began
			expired, refused, invalid, last := link, link, link, link
			expired.Expired = true
			refused.Refused = rules.Outcome{End: rules.Unknown, Reason: "its process died"}
			invalid.Problems = rules.Problems{Invalid: "Size"}
			last.Continues = false
			for _, f := range slices.Concat(representative(link), representative(expired), representative(refused), representative(invalid), representative(last)) {
				if f.Type != lifecycle.Delete || created == "" {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// representative returns an event of each sort: the others differ in what chains
// have nothing to do with.
func representative(base given) (some []given) {
	for _, f := range events(base) {
		sort := f.Type == lifecycle.Create || f.Type == lifecycle.Update && f.ID == "" ||
			f.Type == lifecycle.Update && (f.ID == theirs && f.Identity == rules.Same || f.ID == oldStable && f.Identity == rules.Differs) ||
			f.Type == lifecycle.Delete && f.Makes && (f.ID == theirs || f.ID == generated)
		if sort {
			some = append(some, f)
		}
	}
	return some
}

func events(base given) (all []given) {
	add := func(request lifecycle.RequestType, id string, change func(*given)) {
		f := base
		f.Type, f.ID, f.Generated = request, id, id == generated
		change(&f)
		all = append(all, f)
	}
	as := func(*given) {}
	add(lifecycle.Create, "", as)
	add(lifecycle.Update, "", as)
	if base.Problems.Invalid != "" { // its properties cannot be read
		unreadable := func(f *given) { f.StableID, f.Identity = "", rules.Incomparable }
		add(lifecycle.Create, "", unreadable)
		add(lifecycle.Update, "", unreadable)
		add(lifecycle.Update, theirs, unreadable)
		add(lifecycle.Delete, theirs, unreadable)
		add(lifecycle.Delete, generated, unreadable)
	}
	add(lifecycle.Delete, "", as)
	for _, id := range []string{theirs, stableID, oldStable, generated} {
		for _, i := range []rules.Identity{rules.Same, rules.Differs, rules.Incomparable} {
			add(lifecycle.Update, id, func(f *given) { f.Identity = i })
		}
		add(lifecycle.Delete, id, as)
		add(lifecycle.Delete, id, func(f *given) { f.Makes = false })
	}
	return all
}

// The rules do no I/O, keep no time and start nothing.
func TestImports(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if slices.Contains([]string{"context", "time", "net", "sync", "os"}, strings.Split(path, "/")[0]) {
				t.Errorf("%s imports %s", file.Name(), path)
			}
		}
		for n := range goStatements(parsed) {
			t.Errorf("%s has a go statement at %d", file.Name(), n)
		}
	}
}

// alone are rules of which each keeps one thing from being left or stuck, with the
// mutant that takes the rule out, and how many histories of each kind show the harm.
var alone = []struct {
	rule, mutant string
	histories    int
}{
	{"the phase is asked before a wait", "update.go: update: e.phase() left out", 1_000_000},
	{"what the service deletes is not named any more", "undo.go: undo: o.End == Deleting turned", 100_000},
}

// Histories show harm without each of these rules. With all of them, as many show none:
// see TestHistories of the model.
func TestEachRuleAlone(t *testing.T) {
	testrun.OnlyThorough(t, "a million histories of each kind take minutes")
	m, stages := compileMutants(t)
	for _, a := range alone {
		n := 1 + slices.IndexFunc(m.mutants, func(x mutant) bool { return x.name == a.mutant })
		if n == 0 {
			t.Errorf("there is no such mutant: %s", a.mutant)
			continue
		}
		model := stages[1]
		model.args = []string{"-counts", "-histories=" + strconv.Itoa(a.histories)}
		out, err := model.command(t, strconv.Itoa(n)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, counted, _ := strings.Cut(string(out), "harm in ")
		harms, _, _ := strings.Cut(counted, "\n")
		t.Logf("harm in %s of %d histories of each kind, unless %s", harms, a.histories, a.rule)
		if harms == "" || harms == "0" {
			t.Errorf("no history shows what it is for that %s", a.rule)
		}
	}
}

// A Find that always finds another thing ends.
func TestManyAreFound(t *testing.T) {
	if broken := manyAreFound(); broken != "" {
		t.Error(broken)
	}
}

func manyAreFound() (broken string) {
	for _, id := range []string{generated, stableID} {
		e := &endless{}
		a := rules.Handle(rules.Facts{Type: lifecycle.Delete, ID: id, Generated: id == generated, StableID: stableID, Finds: true, Makes: true}, e)
		if a.OK || e.deletes != 10 {
			return fmt.Sprintf("Delete of %s: answered %+v after %d removals", id, a, e.deletes)
		}
	}
	return ""
}

type endless struct{ deletes, finds, asks int }

func (e *endless) Find(rules.Side, string) (string, rules.Outcome) {
	if e.finds++; e.finds > maxCalls {
		panic("it looks without end")
	}
	return "svc-" + strconv.Itoa(e.finds), rules.Outcome{}
}

func (e *endless) PhaseNow(string) rules.Phase {
	if e.asks++; e.asks > maxCalls {
		panic("it asks without end")
	}
	return rules.PhaseUnknown
}

func (e *endless) Create(string) rules.Outcome            { return rules.Outcome{} }
func (e *endless) Update(string, rules.How) rules.Outcome { return rules.Outcome{} }
func (e *endless) Delete(string, bool) rules.Outcome      { e.deletes++; return rules.Outcome{} }
func (e *endless) Continue(rules.Chain) rules.Outcome     { return rules.Outcome{} }
func (e *endless) Phase() rules.Phase                     { return rules.PhaseUnknown }
func (e *endless) Wait(rules.Moment) bool                 { return true }
