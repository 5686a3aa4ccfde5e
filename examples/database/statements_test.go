package main

import "testing"

// Text of a template stays text.
func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{
		``:                `''`,
		`the shop's`:      `'the shop''s'`,
		`C:\shop`:         ` E'C:\\shop'`,
		`\'; DROP ROLE x`: ` E'\\''; DROP ROLE x'`,
	} {
		if got := literal(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
