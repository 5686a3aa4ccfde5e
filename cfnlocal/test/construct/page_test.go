package construct

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// The commands of docs/cdk.md, as a reader types them in an empty folder, with this checkout for DIR, deploy the
// example and delete it again.
func TestThePageFromAnEmptyFolder(t *testing.T) {
	if os.Getenv("TEST_CDK") == "" {
		t.Skip("SKIPPED: TEST_CDK is not set; .ci/run cdk runs this test, which takes a minute")
	}
	checkout, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	script := "set -e\n"
	for _, block := range shellBlock.FindAllStringSubmatch(string(read(t, filepath.Join(repository, "docs/cdk.md"))), -1) {
		script += regexp.MustCompile(`\bDIR\b`).ReplaceAllLiteralString(block[1], checkout)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", script)
	shell.Dir = t.TempDir()
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GOWORK=") {
			shell.Env = append(shell.Env, variable)
		}
	}
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := string(out)
	for _, status := range []string{"Notes is in CREATE_COMPLETE", "fault die-before", "Notes is in UPDATE_COMPLETE", "Notes is in DELETE_COMPLETE", "no leftovers"} {
		_, after, found := strings.Cut(rest, status)
		if !found {
			t.Fatalf("the commands do not come to %q:\n%s", status, out)
		}
		rest = after
	}
}
