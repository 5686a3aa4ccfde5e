package play_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// docs/checks.md lists the checks, since users write their names into Skip and into go test -run. The table of checks is
// where they are said once.
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
