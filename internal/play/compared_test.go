package play_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

var update = flag.Bool("update", false, "write the table in docs/compared.md")

// The table in docs/compared.md is what is counted.
func TestCompared(t *testing.T) {
	testrun.OnlyThorough(t, "it plays three times all of Explore's histories")
	const name, begin, end = "../../docs/compared.md", "<!-- counted -->\n", "<!-- end -->\n"
	doc, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no %sand %s", name, begin, end)
	}
	w := newWire(t)
	want := before + begin + table(play.Compare(t, 3,
		boxContract(func(d *depot) simulate.Function { return process(named{d}) }),
		boxContract(w.boxes(true)),
		boxContract(w.boxes(false)),
	)) + end + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(doc), want); diff != "" {
		t.Errorf("%s is not what was counted (-says +counted); go test ./internal/play -run TestCompared -update writes it anew:\n%s", name, diff)
	}
}

func table(tallies []play.Tally) string {
	var b strings.Builder
	b.WriteString("| | this SDK | aws-lambda-go/cfn, with care | aws-lambda-go/cfn, without |\n|---|---|---|---|\n")
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
