// Package testrun says how the tests run, for those that try very much: a share of it by default,
// so that go test ./... takes a minute, and all of it in a thorough run.
//
//	TEST_THOROUGH=1 go test ./internal/rules/...
package testrun

import (
	"os"
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
