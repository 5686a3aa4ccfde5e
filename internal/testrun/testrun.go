// Package testrun is for tests. It says how those run that try very much: a share of it by default,
// so that go test ./... takes a minute, and all of it in a thorough run.
//
//	TEST_THOROUGH=1 go test ./internal/rules/...
package testrun

import (
	"os"
	"strings"
	"testing"
)

// Thorough reports whether everything is to be tried, however long that takes:
// TEST_THOROUGH is set. Under the race detector it is for those who ask for it.
func Thorough() bool { return os.Getenv("TEST_THOROUGH") != "" }

// Share returns how many of all to try: the share, or all in a thorough run.
func Share(share, all int) int {
	if Thorough() {
		return all
	}
	return share
}

// Sample returns every nth of all, the first with them, or all in a thorough run.
func Sample[S ~[]E, E any](n int, all S) S {
	if Thorough() {
		return all
	}
	var some S
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// Examples returns the examples to test, of the names of all: two that link no client
// of AWS, which takes most of a minute to compile, or all in a thorough run.
func Examples(all []string) []string {
	if Thorough() {
		return all
	}
	return []string{"several", "webhook"}
}

// OnlyThorough skips a test in any other run, and says why.
func OnlyThorough(t testing.TB, why string) {
	t.Helper()
	if !Thorough() {
		t.Skip(why + ": set TEST_THOROUGH=1 to run it")
	}
}

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
	if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o600); err != nil {
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
