package lifecycle

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/lifecycle.md")

const pictureFile = "../docs/lifecycle.md"

// TestPicture holds docs/lifecycle.md to the tables it is drawn from.
func TestPicture(t *testing.T) {
	want := picture()
	if *update {
		if err := os.WriteFile(pictureFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(pictureFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/lifecycle.md is not what the tables say; run go test ./lifecycle -update (-want +got):\n%s", diff)
	}
}

func picture() string {
	var b strings.Builder
	b.WriteString(`# Lifecycle of a stack

Drawn from the tables of package ` + "`lifecycle`" + ` by ` + "`go test ./lifecycle -update`" + `. Do not edit.

The letters after a status say which requests handlers get in it: C for Create, U for Update, D for Delete. The five statuses in
which a stack can be updated are drawn as one, STABLE. Import is left out, because custom resources cannot be imported.

`)
	b.WriteString("```mermaid\nstateDiagram-v2\n    direction TB\n")
	drawStack(&b)
	b.WriteString("```\n\nSTABLE is ")
	b.WriteString(join(updatable))
	b.WriteString(".\n\n## Which requests are sent when\n\n| Stack | Request | Why | Known |\n|---|---|---|---|\n")
	for _, r := range statusRequests {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Status, r.RequestType, r.Why, r.Confidence)
	}
	drawPhases(&b)
	b.WriteString(`
*Known*: documented by AWS, recorded from real AWS, observed by users of AWS, or inferred from other facts. Each arrow of the
picture has such a label too, in ` + "`Transitions`" + ` of package ` + "`lifecycle`" + `. The statuses of a custom resource, as
DescribeStackEvents shows them, are in ` + "`ResourceTransitions`" + `.
`)
	return b.String()
}

func drawStack(b *strings.Builder) {
	merge := func(s StackStatus) StackStatus {
		if slices.Contains(updatable, s) {
			return "STABLE"
		}
		return s
	}
	imports := func(s StackStatus) bool { return strings.HasPrefix(string(s), "IMPORT_") }
	var drawn []string
	for _, s := range StackStatuses() {
		if letters := letters(s); letters != "" {
			fmt.Fprintf(b, "    %s: %s [%s]\n", s, s, letters)
		}
	}
	for _, t := range Transitions() {
		from, to := merge(t.From), merge(t.To)
		if imports(from) || imports(to) {
			continue
		}
		line := fmt.Sprintf("    %s --> %s: %s\n", node(string(from)), to, mermaid(t.Trigger))
		if !slices.Contains(drawn, line) {
			drawn = append(drawn, line)
			b.WriteString(line)
		}
	}
	fmt.Fprintf(b, "    %s --> [*]\n", StackDeleteComplete)
}

func drawPhases(b *strings.Builder) {
	b.WriteString("\n## What a request means when\n\n" +
		"This is what `PhaseOf` returns. *NotAwaited* and *GivenUp* mean that such a request is not sent in this status: it came late.\n\n" +
		"| Stack | Create | Update | Delete | Document |\n|---|---|---|---|---|\n")
	for _, row := range phases {
		remove := string(row.delete)
		if other := PhaseOf(row.status, Delete, true); other != row.delete {
			remove += ", or " + string(other)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", row.status, row.create, row.update, remove, row.source)
	}
}

func letters(s StackStatus) string {
	var all []string
	for _, r := range statusRequests {
		if r.Status == s {
			all = append(all, string(r.RequestType[0]))
		}
	}
	return strings.Join(all, ",")
}

// node names a status in a state diagram, where nothing is "[*]".
func node(s string) string {
	if s == "" {
		return "[*]"
	}
	return s
}

// mermaid keeps a label from ending at what the diagram's syntax reads as one.
func mermaid(label string) string { return strings.NewReplacer(":", ",", ";", ",").Replace(label) }

func join(all []StackStatus) string {
	var names []string
	for _, s := range all {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
