package repo

import (
	"regexp"
	"testing"
)

var (
	quotedTest = regexp.MustCompile("`((?:Test|Fuzz|Example|Benchmark)[A-Z]\\w*)`")
	declared   = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)[\[(]`)
)

// The tests that the documents name exist.
func TestNamedTestsExist(t *testing.T) {
	known := make(map[string]bool)
	for _, code := range files(t, ".go") {
		for _, m := range declared.FindAllStringSubmatch(code, -1) {
			known[m[1]] = true
		}
	}
	names := 0
	for _, d := range documents(t) {
		for _, m := range quotedTest.FindAllStringSubmatch(d.text, -1) {
			if names++; !known[m[1]] {
				t.Errorf("%s names %s, which is not there", d.path, m[1])
			}
		}
	}
	if names == 0 {
		t.Error("no names were found: is the pattern right?")
	}
}
