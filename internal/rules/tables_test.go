package rules

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
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
		"phase.md":          undoingsTable() + "\n" + staleTable() + "\n" + refusalsTable(),
	} {
		testrun.Written(t, filepath.Join("..", "..", "docs", "design", name), "written from the rows of internal/rules", table, *update, "go test -run Tables -update ./internal/rules")
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
	s := head("The identity", "The ID belongs to the old properties", "To the new ones", "Then")
	for _, i := range []Identity{Same, Incomparable, Differs} {
		for _, by := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			c := change{identity: i, oldID: by[0], newID: by[1]}
			what, ok := updates[c]
			if !ok {
				continue
			}
			then := map[updateKind]string{updateInPlace: "Update in place", updateIdentityChanged: "Update in place, `IdentityChanged` set", replacement: "a replacement"}[what]
			if i != Differs {
				s += row(map[Identity]string{Same: "is the same", Incomparable: "cannot be compared"}[i], "any", "any", then)
				continue
			}
			s += row("differs", yes(c.oldID), yes(c.newID), then)
		}
	}
	return s
}

var lefts = map[Leftover]string{
	Nothing: "nothing", Maybe: "may be there", Made: "made, and left", Adopted: "was there before", Undone: "made, and deleted again",
	Abandoned: "made, and not to be deleted",
}

func failedTable() string {
	ids := map[answerID]string{eventID: "the event's", notCreatedID: "the marker", stableID: "the StableID", leftoverID: "its own"}
	s := head("What failed", "What is left", "PhysicalResourceId")
	for k, name := range []string{"Create", "Update", "Delete"} {
		for l := Nothing; l <= Abandoned; l++ {
			if i, ok := failedIDs[failedEvent{kind(k), l}]; ok {
				s += row(name, lefts[l], ids[i])
			}
		}
	}
	return s
}

func removalsTable() string {
	ends := map[End]string{Done: "success", NotFound: "NotFound", InvalidRequest: "InvalidRequest", NoCode: "an error without a code"}
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

var phaseNames = map[Phase]string{PhaseUnknown: "not known", Forward: "the stack goes forward", Back: "it goes back", GivenUp: "given up", NotAwaited: "not awaited"}

func undoingsTable() string {
	s := head("The event came while", "By now", "Undone until", "If it cannot be")
	for _, start := range []Phase{PhaseUnknown, Forward, Back} {
		for _, now := range []Phase{PhaseUnknown, Forward, Back, GivenUp, NotAwaited} {
			u, ok := undoRules[phaseChange{start, now}]
			if !ok {
				continue
			}
			until := map[Moment]string{NextTry: "the deadline", NextUndo: "five seconds"}[u.until]
			s += row(phaseNames[start], phaseNames[now], until, lefts[u.leftover])
		}
	}
	return s
}

func staleTable() string {
	s := head("The event came while", "Then", "It came while")
	for _, start := range []Phase{PhaseUnknown, Forward, Back, GivenUp, NotAwaited} {
		for _, now := range []Phase{PhaseUnknown, Forward, Back, GivenUp, NotAwaited} {
			if staleStarts[phaseChange{start, now}] {
				s += row(phaseNames[start], phaseNames[now], phaseNames[now])
			}
		}
	}
	return s
}

func coursesTable() string {
	s := head("The event came while", "By now", "Then")
	say := map[chainStep]string{chainEndsHere: "it works, and is not sent on", chainContinues: "it works, and may be sent on"}
	for _, start := range []Phase{PhaseUnknown, Forward, Back} {
		for _, now := range []Phase{PhaseUnknown, Forward, Back} {
			if c, ok := chainSteps[phaseChange{start, now}]; ok {
				s += row(phaseNames[start], phaseNames[now], say[c])
			}
		}
	}
	return s
}

func refusalsTable() string {
	s := head("The event", "Phase", "Invalid properties", "Unknown ones", "Unresolved references")
	say := map[bool]string{true: "refused", false: "–"}
	for _, request := range []lifecycle.RequestType{lifecycle.Create, lifecycle.Update} {
		for _, p := range []Phase{PhaseUnknown, Forward, Back, GivenUp, NotAwaited} {
			r, ok := refusals[strictness{request, p}]
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
