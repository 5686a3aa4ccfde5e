package repo

import (
	"go/doc"
	"go/doc/comment"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var testFunc = regexp.MustCompile(`(?m)^func Test`)

// The documentation of each public package begins with a complete program, or
// for cfntest with a complete test, that compiles.
func TestPackageDocumentationBeginsWithAProgram(t *testing.T) {
	for _, dir := range public {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			code := firstCode(t, dir)
			name := "main.go"
			if testFunc.MatchString(code) {
				name = "main_test.go"
			}
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			vet := exec.CommandContext(t.Context(), "go", "vet", file)
			vet.Dir = root
			if out, err := vet.CombinedOutput(); err != nil {
				t.Errorf("%v: %s\n%s", err, out, code)
			}
		})
	}
}

// What the documentation of a package begins with is the program of a guide,
// where that is tested.
func TestPackageDocumentationBeginsWithWhatIsTested(t *testing.T) {
	for dir, program := range map[string]string{
		"cfnresource":            "internal/repo/programs/directory/main.go",
		"cfnresource/stackphase": "internal/repo/programs/archive/main.go",
	} {
		_, want, _ := strings.Cut(read(t, program), "\npackage main\n")
		if diff := cmp.Diff("package main\n"+want, firstCode(t, dir)); diff != "" {
			t.Errorf("the documentation of %s differs from %s (-program +documentation):\n%s", dir, program, diff)
		}
	}
}

// firstCode returns the first block of code in a package's documentation.
func firstCode(t *testing.T, dir string) string {
	t.Helper()
	for _, file := range parse(t, dir, func(name string) bool { return !isTest(name) }) {
		if file.Doc == nil {
			continue
		}
		parsed := new(doc.Package).Parser().Parse(file.Doc.Text())
		for _, block := range parsed.Content {
			if code, ok := block.(*comment.Code); ok {
				return code.Text
			}
		}
	}
	t.Fatalf("the documentation of %s has no code", dir)
	return ""
}
