package play_test

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

var update = flag.Bool("update", false, "write the table in docs/compared.md")

// The tables in docs/compared.md are what is counted.
func TestCompared(t *testing.T) {
	testrun.OnlyThorough(t, "it plays four times all of Explore's histories")
	w := newWire(t)
	counted(t, "counted", table(play.Compare(t, 3, namedBoxes, toldBoxes(), boxContract(w.boxes(true)), boxContract(w.boxes(false)))))
}

// toldBoxes are namedBoxes of a handler that asks for the phase.
func toldBoxes() play.Contract {
	told := boxContract(func(d *depot) simulate.Function { return continuing(named{d}) })
	withLongTimeout(&told)
	return told
}

// No reading of what AWS does not document has this SDK do harm that the document does not name.
func TestComparedUnderEachReading(t *testing.T) {
	testrun.OnlyThorough(t, "it plays a hundred thousand histories")
	readings, rows := play.CompareReadings(t, 2, namedBoxes, foundBoxes, toldBoxes(), boxContract(newWire(t).boxes(true)))
	var b strings.Builder
	b.WriteString("| reading | this SDK, named | this SDK, found | this SDK, with the phase | aws-lambda-go/cfn, with care |\n|---|---|---|---|---|\n")
	for i, r := range readings {
		fmt.Fprintf(&b, "| %s |", cmp.Or(r, "as assumed"))
		for _, t := range rows[i] {
			fmt.Fprintf(&b, " %s |", harms(t))
		}
		b.WriteString("\n")
	}
	counted(t, "readings", b.String())
}

// harms lists what a tally has of each harm.
func harms(t play.Tally) string {
	var all []string
	for _, h := range []struct {
		name string
		n    int
	}{{"hang", t.Hang}, {"leak", t.Leak}, {"lose", t.Lose}, {"fail", t.Fail}, {"misanswer", t.Misanswer}} {
		if h.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", h.n, h.name))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// counted holds a table in docs/compared.md to what was counted.
func counted(t *testing.T, mark, table string) {
	t.Helper()
	testrun.Written(t, "../../docs/compared.md", mark, table, *update, "TEST_THOROUGH=1 go test ./internal/play -run TestCompared -update")
}

func table(tallies []play.Tally) string {
	var b strings.Builder
	b.WriteString("| | this SDK | this SDK, with the phase | aws-lambda-go/cfn, with care | aws-lambda-go/cfn, without |\n|---|---|---|---|---|\n")
	row := func(name string, count func(play.Tally) int) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, t := range tallies {
			fmt.Fprintf(&b, " %d |", count(t))
		}
		b.WriteString("\n")
	}
	row("histories", func(t play.Tally) int { return t.Histories })
	row("do no harm", func(t play.Tally) int { return t.Histories - t.Hang - t.Leak - t.Lose - t.Fail - t.Misanswer })
	row("hang: CloudFormation waits an hour for an answer", func(t play.Tally) int { return t.Hang })
	row("leak: something stays that no stack knows", func(t play.Tally) int { return t.Leak })
	row("lose: a live resource is deleted, replaced without need, or not what the template says", func(t play.Tally) int { return t.Lose })
	row("fail without a cause, or for good", func(t play.Tally) int { return t.Fail })
	row("answer, and end the process after it", func(t play.Tally) int { return t.Misanswer })
	return b.String()
}
