package testrun

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A Limit is a row of the table in docs/rough_edges.md.
type Limit struct {
	Name     string
	Played   bool   // the model plays it; the others are written in italics
	LeadsTo  string // the anchor of its details, or ""
	Complete bool   // it says when it happens, what is lost, and what prevents it
}

// limitCell matches the first cell of a row: a name, in italics or not, with or without a link.
var limitCell = regexp.MustCompile(`^(?:\[([^\]]+)\]\(#([^)]+)\)|([^\[*]+|\*[^*]+\*))$`)

// Limits returns the rows of the table in docs/rough_edges.md, where users look up a limit by its name. file leads to
// that page. The model, Explore and its documentation are compared with it, so that each limit has one name.
func Limits(t testing.TB, file string) (limits []Limit) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), "<!-- limits -->\n")
	table, _, ends := strings.Cut(rest, "<!-- end -->\n")
	if !begins || !ends {
		t.Fatalf("%s has no table of limits", file)
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	for _, row := range rows[2:] { // below the head and its line
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		isPart := strings.HasPrefix(cells[0], "**")
		if isPart {
			continue
		}
		m := limitCell.FindStringSubmatch(cells[0])
		if m == nil {
			t.Errorf("%s: a limit is named %q", file, cells[0])
			continue
		}
		name := m[1] + m[3]
		limits = append(limits, Limit{
			Name:     strings.Trim(name, "*"),
			Played:   !strings.HasPrefix(name, "*"),
			LeadsTo:  m[2],
			Complete: len(cells) == 4,
		})
	}
	return limits
}
