package rules

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/lifecycle"
)

var update = flag.Bool("update", false, "write the tables of docs/design anew")

// The tables in docs/design are the rows of the rules.
func TestTablesInTheDocs(t *testing.T) {
	for name, table := range map[string]string{
		"replacement.md":    updatesTable(),
		"failed-answers.md": failedTable(),
		"lost-deletes.md":   removalsTable(),
		"continue.md":       coursesTable(),
		"phase.md":          undoingsTable() + "\n" + refusalsTable(),
	} {
		file := filepath.Join("..", "..", "docs", "design", name)
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const begin, end = "<!-- written from the rows of internal/rules -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(string(page), begin)
		is, after, closed := strings.Cut(rest, end)
		switch {
		case !found || !closed:
			t.Errorf("%s has no place for its table", name)
		case is == table:
		case *update:
			if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not as the rows are: run go test -run Tables -update ./internal/rules", name)
		}
	}
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func head(cells ...string) string {
	return row(cells...) + "|" + strings.Repeat("---|", len(cells)) + "\n"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func updatesTable() string {
	s := head("The identity", "The old properties explain the ID", "The new ones do", "Then")
	for _, i := range []Identity{Same, Incomparable, Differs} {
		for _, by := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			c := change{identity: i, old: by[0], new: by[1]}
			what, ok := updates[c]
			if !ok {
				continue
			}
			then := map[effect]string{updateInPlace: "Update in place", updateChanged: "Update in place, `IdentityChanged` set", replaceIt: "a replacement"}[what]
			if i != Differs {
				s += row(map[Identity]string{Same: "is the same", Incomparable: "cannot be compared"}[i], "any", "any", then)
				continue
			}
			s += row("differs", yes(c.old), yes(c.new), then)
		}
	}
	return s
}

var lefts = map[Left]string{
	Nothing: "nothing", Maybe: "may be there", Made: "made, and left", Adopted: "was there before", Undone: "made, and deleted again",
	Abandoned: "made, and not to be deleted",
}

func failedTable() string {
	ids := map[id]string{theEvents: "the event's", marker: "the marker", stable: "the StableID", its: "its own"}
	s := head("What failed", "What is left", "PhysicalResourceId")
	for k, name := range []string{"Create", "Update", "Delete"} {
		for l := Nothing; l <= Abandoned; l++ {
			if i, ok := failedIDs[failed{kind(k), l}]; ok {
				s += row(name, lefts[l], ids[i])
			}
		}
	}
	return s
}

func removalsTable() string {
	ends := map[End]string{Done: "success", Gone: "NotFound", Invalid: "InvalidRequest", Uncoded: "an error without a code"}
	s := head("The ID", "It is gone after")
	for r, name := range []string{"the event's, in an ordinary Delete", "found, or the StableID", "the event's, where nothing was found"} {
		var gone []string
		for _, end := range removals[removal(r)] {
			gone = append(gone, ends[end])
		}
		s += row(name, strings.Join(gone, ", "))
	}
	return s
}

var phaseNames = map[Phase]string{Untold: "not known", Forward: "the stack goes forward", Back: "it goes back", GivenUp: "given up", NotAwaited: "not awaited"}

func undoingsTable() string {
	s := head("The event came while", "By now", "Undone until", "If it cannot be")
	for _, start := range []Phase{Untold, Forward, Back} {
		for _, now := range []Phase{Untold, Forward, Back, GivenUp, NotAwaited} {
			u, ok := undoings[turn{start, now}]
			if !ok {
				continue
			}
			until := map[Moment]string{NextTry: "the deadline", NextUndo: "five seconds"}[u.until]
			s += row(phaseNames[start], phaseNames[now], until, lefts[u.left])
		}
	}
	return s
}

func coursesTable() string {
	s := head("The event came while", "By now", "Then")
	say := map[course]string{works: "it works, and is not sent on", goesOn: "it works, and may be sent on"}
	for _, start := range []Phase{Untold, Forward, Back} {
		for _, now := range []Phase{Untold, Forward, Back} {
			if c, ok := courses[turn{start, now}]; ok {
				s += row(phaseNames[start], phaseNames[now], say[c])
			}
		}
	}
	return s
}

func refusalsTable() string {
	s := head("The event", "Phase", "Invalid properties", "Unknown ones", "Unresolved references")
	say := map[bool]string{true: "refused", false: "–"}
	for _, request := range []lifecycle.Request{lifecycle.Create, lifecycle.Update} {
		for _, p := range []Phase{Untold, Forward, Back, GivenUp, NotAwaited} {
			r, ok := refusals[sender{request, p}]
			if !ok {
				continue
			}
			phase := phaseNames[p]
			if request == lifecycle.Create {
				phase = "any"
			}
			s += row(string(request), phase, say[r.invalid], say[r.unknown], say[r.unresolved])
		}
	}
	return s
}
