package play_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// docs/checks.md lists the checks, since users write their names into Skip and into go test -run, and the words of a
// history, since Explore prints them. The tables of checks and of words are where they are said once.
func TestThePageOfTheChecks(t *testing.T) {
	const name = "../../docs/checks.md"
	var b strings.Builder
	b.WriteString(`# The checks of TestHandler

<!-- go test ./internal/play -run TestThePageOfTheChecks -update writes this page. -->

` + "`cfntest.TestHandler`" + ` runs these checks, in this order, each as a subtest. A check whose need is not met is skipped, and
` + "`go test -v`" + ` says what to add. [Testing](testing.md) repairs a handler, check by check.

| Check | What must hold | What it needs |
|---|---|---|
`)
	for _, row := range play.CheckTable() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Name, row.Rule, strings.Join(row.Needs, ", "))
	}
	b.WriteString(`
## The words of a history

A failure ends with a line that ` + "`cfntest.Replay`" + ` plays, such as ` + "`v0 v2/sibling-fails!die-at-step:3@2 delete`" + `. It has operations, with spaces
between them:

`)
	operations, circumstances, ofOperations := play.WordTable()
	writeWords(&b, "An operation", operations)
	b.WriteString(`
Before the first operation may stand circumstances, in which all of them are played:

`)
	writeWords(&b, "A circumstance", circumstances)
	b.WriteString(`
After a version, which is an operation that deploys some properties, may stand a variant. ` + "`again`" + ` takes ` + "`/old-unreadable`" + `, and
` + "`delete`" + ` takes ` + "`/unreadable`" + `.

`)
	writeWords(&b, "A variant", ofOperations)
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/checks.md is not as the table of checks: write it with -update")
	}
}

// writeWords writes a table of words.
func writeWords(b *strings.Builder, head string, rows []play.WordRow) {
	fmt.Fprintf(b, "| %s | What happens | What it needs |\n|---|---|---|\n", head)
	for _, row := range rows {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", row.Word, row.Means, strings.Join(row.Needs, ", "))
	}
}
