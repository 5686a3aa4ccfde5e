package play

import (
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// A CheckResult is what came of one check of TestHandler.
type CheckResult struct {
	Name    string
	Outcome string // passed, failed, skipped or unjudged
	Text    string

	Warnings []string
	Took     time.Duration
}

// CheckNames returns the names of all checks.
func CheckNames() (names []string) {
	for _, k := range checks {
		names = append(names, k.name)
	}
	return names
}

// RunChecks runs the checks of TestHandler, or only those of some names, without failing t.
func RunChecks(t *testing.T, c Contract, only ...string) (results []CheckResult) {
	defer collectLess()()
	prior := newPriorResults()
	for k := range asked(t, c, prior) {
		if len(only) > 0 && !slices.Contains(only, k.name) {
			continue
		}
		began := time.Now()
		r := k.run(t, c, prior)
		results = append(results, CheckResult{Name: r.name, Outcome: string(r.outcome), Text: r.text, Warnings: r.warnings, Took: time.Since(began)})
	}
	return results
}

// RunCheck runs one check, as if no other had failed, without failing t.
func RunCheck(t *testing.T, c Contract, name string) (text, log string) {
	defer collectLess()()
	r := checkNamed(name).run(t, c, newPriorResults())
	return r.text, r.log
}

// Warnings returns what a check warns of.
func Warnings(t *testing.T, c Contract, name string) []string {
	defer collectLess()()
	return checkNamed(name).run(t, c, newPriorResults()).warnings
}

// A Finding is what Explore finds first; it is the zero value if it finds nothing.
type Finding struct {
	History string // the line that Replay plays
	Harm    string
	Text    string
	Played  int // histories, until it ended
}

// FirstFinding explores, with all faults if none are given, without failing t.
func FirstFinding(t *testing.T, c Contract, histories int, faults ...fault.Kind) Finding {
	e := explore(t, c, ExploreOptions{Histories: histories, Faults: faults})
	found := Finding{Played: e.played}
	if len(e.findings) > 0 {
		f := e.findings[0]
		found.History, found.Harm, found.Text = f.history.String(), f.harm.Name, f.String()
	}
	return found
}

// Changes returns the names of a version with each of the changes that there are.
func Changes(t testing.TB, c Contract, base string) (words []string) {
	if c.New != nil {
		c.learnHandlerType(t)
	}
	for _, ch := range c.changes(base) {
		words = append(words, ch.in(base))
	}
	return words
}

// KindNames returns the names of the kinds of values.
func KindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Version returns the properties that a name stands for, or nil.
func Version(t testing.TB, c Contract, word string) any {
	if c.New != nil {
		c.learnHandlerType(t)
	}
	return c.version(word)
}

// Differences says how a state differs from another one.
func Differences(got, want any) string { return differences(got, want) }

// Cure returns what helps where a live resource is deleted since a property changes.
func Cure(path string, mayTag bool) string {
	return cureOf(&finding{harm: liveDeleted}, change{Path: path, Kind: "other"}, mayTag)
}

// Holds reports whether a text contains one of the secrets.
func Holds(text string, secrets []string) bool { return holds(text, formsOf(secrets)) }

// A CheckRow is what a user reads of a check.
type CheckRow struct {
	Name, Rule string
	Needs      []string
}

// CheckTable returns a row for each check.
func CheckTable() (rows []CheckRow) {
	for _, k := range checks {
		rows = append(rows, CheckRow{Name: k.name, Rule: k.rule, Needs: k.needs.texts()})
	}
	return rows
}

// texts returns what a user calls each need.
func (n need) texts() (all []string) {
	for _, one := range allNeeds {
		if n&one.need != 0 {
			all = append(all, one.name)
		}
	}
	return all
}

// A WordRow is what a user reads of a word of a history.
type WordRow struct {
	Word, Means string
	Needs       []string
}

// WordTable returns a row for each operation and each circumstance of a history, and for each variant of an operation.
func WordTable() (operations, circumstances, ofOperations []WordRow) {
	all := words()
	for i := range all {
		switch w := &all[i]; {
		case w.isOperation():
			operations = append(operations, WordRow{w.name, w.means, w.needs.texts()})
		case w.isCircumstance():
			circumstances = append(circumstances, WordRow{w.name, w.means, w.needs.texts()})
		}
	}
	for _, v := range variants {
		ofOperations = append(ofOperations, WordRow{Word: "/" + v.name, Means: v.means})
	}
	return operations, circumstances, ofOperations
}
