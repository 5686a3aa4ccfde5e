// Package contract tests what plays AWS's contract suite. docs/design/registry.md says how to play it.
package contract

import (
	"os"
	"os/exec"
	"testing"
)

// The examples in suite.py hold: where the stand-in for a library fails, the suite judges a type by less than
// its schema says.
func TestTheExamplesHold(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here")
	}
	if _, err := os.Stat("suite.py"); err != nil { // and go test sees when it changes
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-B", "-m", "doctest", "suite.py").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
