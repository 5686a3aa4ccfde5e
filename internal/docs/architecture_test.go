package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var (
	fileLink  = regexp.MustCompile(`\]\(\.\./cfnresource/(\w+\.go)\)`)
	fileOfDoc = regexp.MustCompile(`(?m)^//\t(\w+\.go)  `)
)

// The architecture page leads through the files of cfnresource in the order of
// its package documentation, and leaves none out.
func TestArchitectureFollowsThePackage(t *testing.T) {
	var want, got []string
	for _, m := range fileOfDoc.FindAllStringSubmatch(read(t, "cfnresource/doc.go"), -1) {
		want = append(want, m[1])
	}
	for _, m := range fileLink.FindAllStringSubmatch(read(t, "docs/architecture.md"), -1) {
		if !slices.Contains(got, m[1]) {
			got = append(got, m[1])
		}
	}
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("docs/architecture.md has\n%q, and cfnresource/doc.go has\n%q", got, want)
	}
	there, err := filepath.Glob(filepath.Join(root, "cfnresource", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		name := filepath.Base(path)
		if name != "doc.go" && !isTest(name) && !slices.Contains(want, name) {
			t.Errorf("cfnresource/doc.go does not list %s", name)
		}
	}
	for _, name := range want {
		if _, err := os.Stat(filepath.Join(root, "cfnresource", name)); err != nil {
			t.Error(err)
		}
	}
}

var isTestFile = regexp.MustCompile(`_test\.go$`)

func isTest(name string) bool { return isTestFile.MatchString(name) }
