package blackbox

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// folder is for the files of a run.
var folder string

func TestMain(m *testing.M) {
	flag.Parse()
	// The cases wait for deadlines, not for processors.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "blackbox"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	return m.Run()
}

func allCases() []testCase {
	return slices.Concat(handlerCases(), s3Cases(), eventCases(), envelopeCases(), identityCases())
}

// In each case CloudFormation gets one valid answer in time, with the right ID, and
// nothing is sent elsewhere. By default the test runs every tenth case.
func TestEveryEventIsAnsweredOnce(t *testing.T) {
	for _, c := range testrun.Sample(10, allCases()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if faults, log := runCase(t, c); len(faults) > 0 {
				t.Errorf("%s\nlog:\n%s", strings.Join(faults, "\n"), tail(log, 3000))
			}
		})
	}
}

func TestCaseNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allCases() {
		if seen[c.name] {
			t.Errorf("%q is there twice", c.name)
		}
		seen[c.name] = true
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return "… " + s[len(s)-n:]
	}
	return s
}
