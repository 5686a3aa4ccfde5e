package rules_test

import (
	"go/parser"
	"go/token"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// TestEveryWay runs Handle with every outcome at every effect, and holds the
// promises over what it did and answered.
func TestEveryWay(t *testing.T) {
	facts := everyFact()
	for _, most := range []int{300, math.MaxInt} { // a few of each first: what is broken is seen soon
		total := 0
		for _, f := range facts {
			w := &way{facts: f}
			for n := 1; ; n++ {
				if broken := w.walk(); broken != "" {
					t.Fatalf("%s\n%s", broken, w)
				}
				total++
				if n == most || !w.next() {
					break
				}
			}
		}
		if most == math.MaxInt {
			t.Logf("%d ways", total)
		}
	}
}

// everyFact returns the facts that the ways begin with.
func everyFact() (all []rules.Facts) {
	for _, finds := range []bool{false, true} {
		base := rules.Facts{Stable: stable, OldStable: oldStable, Finds: finds, Makes: true}
		all = append(all, events(base)...)

		late := base
		late.Late = true
		all = append(all, events(late)...)
		for _, p := range []rules.Problems{{Invalid: "Size"}, {Unknown: "Siez"}, {Unresolved: "Password"}} {
			with := base
			with.Problems = p
			all = append(all, events(with)...)
		}
		for _, end := range []rules.End{rules.Failed, rules.Unknown} {
			refused := base
			refused.Refused = rules.Outcome{End: end, Why: "it is refused"}
			all = append(all, events(refused)...)
		}
	}
	return all
}

func events(base rules.Facts) (all []rules.Facts) {
	add := func(request lifecycle.Request, id string, change func(*rules.Facts)) {
		f := base
		f.Type, f.ID, f.Generated = request, id, id == generated
		change(&f)
		all = append(all, f)
	}
	as := func(*rules.Facts) {}
	add(lifecycle.Create, "", as)
	add(lifecycle.Update, "", as)
	if base.Problems.Invalid != "" { // its properties cannot be read
		unreadable := func(f *rules.Facts) { f.Stable, f.Identity = "", rules.Incomparable }
		add(lifecycle.Create, "", unreadable)
		add(lifecycle.Update, "", unreadable)
		add(lifecycle.Update, theirs, unreadable)
		add(lifecycle.Delete, theirs, unreadable)
		add(lifecycle.Delete, generated, unreadable)
	}
	add(lifecycle.Delete, "", as)
	for _, id := range []string{theirs, stable, oldStable, generated} {
		for _, i := range []rules.Identity{rules.Same, rules.Differs, rules.Incomparable} {
			add(lifecycle.Update, id, func(f *rules.Facts) { f.Identity = i })
		}
		add(lifecycle.Delete, id, as)
		add(lifecycle.Delete, id, func(f *rules.Facts) { f.Makes = false })
	}
	return all
}

// TestManyAreFound holds that a Find that always finds another thing ends.
func TestManyAreFound(t *testing.T) {
	for _, id := range []string{generated, stable} {
		e := &endless{}
		a := rules.Handle(rules.Facts{Type: lifecycle.Delete, ID: id, Generated: id == generated, Stable: stable, Finds: true, Makes: true}, e)
		if a.OK || e.deletes > 10 {
			t.Errorf("Delete of %s: answered %+v after %d removals", id, a, e.deletes)
		}
	}
}

type endless struct{ deletes, finds int }

func (e *endless) Find(rules.Side, string) (string, rules.Outcome) {
	e.finds++
	return "svc-" + strconv.Itoa(e.finds), rules.Outcome{}
}
func (e *endless) Create(string) rules.Outcome            { return rules.Outcome{} }
func (e *endless) Update(string, rules.How) rules.Outcome { return rules.Outcome{} }
func (e *endless) Delete(string, bool) rules.Outcome      { e.deletes++; return rules.Outcome{} }
func (e *endless) Phase(string) rules.Phase               { return rules.Untold }
func (e *endless) Wait(rules.Moment) bool                 { return true }

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
