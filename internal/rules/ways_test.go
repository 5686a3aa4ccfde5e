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
			refused.Refused = rules.Outcome{End: end, Why: "it is refused"}
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
			refused.Refused = rules.Outcome{End: rules.Unknown, Why: "its process died"}
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
