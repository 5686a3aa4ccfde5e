package engine_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

var update = flag.Bool("update", false, "write what the scenarios expect, and the table of them")

// TestScenarios plays each sequence of requests that is known, and says where
// AWS's behaviour is not.
func TestScenarios(t *testing.T) {
	for _, p := range runScenarios(t) {
		t.Run(p.Name, func(t *testing.T) {
			got := expectations(p)
			if *update {
				write(t, p.Scenario, got)
				return
			}
			for _, name := range []string{"requests", "events", "end"} {
				if diff := gocmp.Diff(p.Section(name), got[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func write(t *testing.T, s *enginetest.Scenario, got map[string]string) {
	t.Helper()
	a := &txtar.Archive{Comment: s.Archive.Comment}
	for _, f := range s.Archive.Files {
		if _, expected := got[f.Name]; !expected {
			a.Files = append(a.Files, f)
		}
	}
	for _, name := range []string{"requests", "events", "end"} {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	if err := os.WriteFile(filepath.Join("testdata/scenarios", s.Name+".txtar"), txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

var requestID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// expectations renders what a scenario run came to. RequestIds are written as
// the number of their request, counted from 1.
func expectations(p *enginetest.Run) map[string]string {
	s := p.Player.Machine.Stack()
	// IDs are written as what they stand for.
	number := map[string]string{}
	for i, r := range s.Sent() {
		number[r.RequestID] = "#" + strconv.Itoa(i+1)
	}
	byID := map[string]*engine.Stack{}
	for _, one := range s.All() {
		byID[one.ID] = one
	}
	readable := func(text string) string {
		for id, one := range byID {
			if one != s {
				text = strings.ReplaceAll(text, id, "<"+one.Path+">")
			}
		}
		text = requestID.ReplaceAllStringFunc(text, func(id string) string { return cmp.Or(number[id], id) })
		return strings.ReplaceAll(text, s.ID, "<StackId>")
	}
	at := func(t time.Time) string { return fmt.Sprintf("%6s", t.Sub(enginetest.Start).Truncate(time.Second)) }
	// The requests, the rows, and the state at the end.
	var requests, events, end strings.Builder
	for i, r := range s.Sent() {
		fmt.Fprintf(&requests, "%s #%d %s %s %s %s", at(r.SentAt), i+1, r.RequestType, p.Path(r), cmp.Or(r.PhysicalID, "-"), withoutToken(r.Properties))
		if r.RequestType == "Update" {
			fmt.Fprintf(&requests, " old %s", withoutToken(r.OldProperties))
		}
		fmt.Fprintf(&requests, " => %s", cmp.Or(string(r.Outcome), "Pending"))
		if len(r.Late) > 0 {
			fmt.Fprintf(&requests, ", answered too late")
		}
		requests.WriteByte('\n')
	}
	for _, e := range s.Rows(nil) {
		who := e.Name + " " + cmp.Or(readable(e.PhysicalResourceId), "-")
		if e.OfStack() {
			who = strings.TrimSpace("stack " + byID[e.StackId].Path)
		}
		line := fmt.Sprintf("%s %s %s", at(e.Timestamp), who, e.ResourceStatus)
		if e.ResourceStatusReason != "" {
			line += " " + strconv.Quote(readable(e.ResourceStatusReason))
		}
		events.WriteString(line + "\n")
	}
	for _, r := range p.Refused {
		fmt.Fprintf(&end, "refused %s\n", readable(r))
	}
	for _, one := range s.All() {
		if one != s {
			fmt.Fprintf(&end, "stack %s ", one.Path)
		}
		fmt.Fprintf(&end, "%s %s\n", cmp.Or(one.Status, "(none)"), strconv.Quote(readable(one.StatusReason)))
		for _, r := range one.Resources {
			fmt.Fprintf(&end, "%s %s %s %s\n", one.PathOf(r.LogicalID), cmp.Or(readable(r.PhysicalID), "-"), r.Status, withoutToken(r.Properties))
		}
		for _, o := range one.Outputs {
			fmt.Fprintf(&end, "output %s %s\n", one.PathOf(o.Name), readable(o.Value))
		}
		for _, l := range one.Left {
			fmt.Fprintf(&end, "left %s %s: %s\n", one.PathOf(l.LogicalID), readable(l.PhysicalID), readable(l.Why))
		}
	}
	if err := checkReadable(s); err != nil {
		fmt.Fprintf(&end, "DescribeStackEvents: %v\n", err)
	}
	return map[string]string{"requests": requests.String(), "events": events.String(), "end": end.String()}
}

// checkReadable returns the error of DescribeStackEvents if a handler's Reason has brought control
// characters into the events, which nobody can read after that [O].
func checkReadable(s *engine.Stack) error {
	for _, e := range s.Events {
		if strings.ContainsFunc(e.ResourceStatusReason, func(r rune) bool { return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }) {
			return fmt.Errorf("the response contains control characters or otherwise invalid characters: the Reason of %s", e.LogicalResourceId)
		}
	}
	return nil
}

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
