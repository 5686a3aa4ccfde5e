package engine_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

const tableFile = "testdata/scenarios.txt"

// numbered are the rows of the table: all sequences of requests about custom
// resources that are known.
var numbered = func() (rows []string) {
	for _, span := range [][2]int{{1, 12}, {20, 31}, {40, 55}, {60, 72}} {
		for n := span[0]; n <= span[1]; n++ {
			rows = append(rows, "S"+strconv.Itoa(n))
			if n == 22 {
				rows = append(rows, "S22b")
			}
		}
	}
	return rows
}()

// TestTable holds the table to the scenarios, and these to be complete.
func TestTable(t *testing.T) {
	all := runScenarios(t)
	for _, row := range numbered {
		if !slices.ContainsFunc(all, func(p *enginetest.Run) bool { return slices.Contains(p.Rows, row) }) {
			t.Errorf("no scenario shows %s", row)
		}
	}
	want := table(all)
	if *update {
		if err := os.WriteFile(tableFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not what the scenarios say; run go test ./internal/cfn/engine -update (-want +got):\n%s", tableFile, diff)
	}
}

func table(all []*enginetest.Run) string {
	var b strings.Builder
	b.WriteString(`What CloudFormation asks of a custom resource, and when: a line for each file in the folder scenarios.
Written by go test ./internal/cfn/engine -update. Do not edit.

The label says how well the sequence is known: D documented by AWS, V recorded from real AWS, O observed by users of AWS,
I inferred from other facts, ? not known. A label that begins with "?" has a default in the engine; "the other reading" plays
the option that changes it.

Requests are in the order in which they were sent: C, U and D for Create, Update and Delete, with the logical ID and the
physical ID if there is one. GEN is an ID that CloudFormation made up. The mark after a request is its outcome: ✗ failed,
∅ not answered in time, ⊘ given up while its handler ran on. Requests without a mark succeeded.

Row | Scenario | Label | Requests | The stack ends as | File
`)
	sorted := slices.Clone(all)
	place := func(p *enginetest.Run) int {
		if len(p.Rows) == 0 {
			return len(numbered)
		}
		return slices.Index(numbered, p.Rows[0])
	}
	slices.SortStableFunc(sorted, func(a, b *enginetest.Run) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range sorted {
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s | %s\n", cmp.Or(strings.Join(p.Rows, " "), "-"), p.Title, p.Label, inShort(p),
			cmp.Or(p.Player.Machine.Stack().Status, "(refused)"), p.Name)
	}
	return b.String()
}

var generated = regexp.MustCompile(`^shop-\w+-[A-Z0-9]{13}$`)

// inShort renders the requests that were sent.
func inShort(p *enginetest.Run) string {
	var out []string
	for _, r := range p.Player.Machine.Stack().Sent() {
		text := r.RequestType[:1] + "(" + p.Path(r)
		switch {
		case generated.MatchString(r.PhysicalID):
			text += " GEN"
		case r.PhysicalID != "":
			text += " " + r.PhysicalID
		}
		text += ")" + map[engine.Outcome]string{engine.Failed: " ✗", engine.Rejected: " ✗", engine.Uncalled: " ✗", engine.TimedOut: " ∅", engine.Cancelled: " ⊘"}[r.Outcome]
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
