package testrun

import (
	"os"
	"strings"
	"testing"
)

// Written holds what a test writes into a document, between the line <!-- mark --> and the
// next <!-- end -->, to want. With update it writes that; otherwise the error names how.
func Written(t *testing.T, file, mark, want string, update bool, how string) {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), begin)
	got, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has nothing between %sand %s", file, begin, end)
	}
	if !update {
		at, wanted, is := difference(want, got)
		if want != got {
			t.Errorf("%s is not what is written: %s; %d lines below its mark there should be\n%s\nand there is\n%s", file, how, at, wanted, is)
		}
		return
	}
	if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o600); err != nil { //nolint:gosec // the test says which file
		t.Fatal(err)
	}
}

// difference returns the first lines in which texts differ, and how many lines down.
func difference(want, got string) (at int, wanted, is string) {
	for want != "" || got != "" {
		at++
		wanted, want, _ = strings.Cut(want, "\n")
		is, got, _ = strings.Cut(got, "\n")
		if wanted != is {
			break
		}
	}
	return at, wanted, is
}
