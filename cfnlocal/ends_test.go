package main

import "testing"

// A command ends where its terminal was closed. The end of a parent counts only without a terminal,
// and not for servers. What had neither at the start, such as a system's service, loses nothing.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		start, now ties
		command    string
		ends       bool
	}{
		{"all is as it was", ties{true, 7}, ties{true, 7}, "deploy", false},
		{"the terminal was closed", ties{true, 7}, ties{false, 7}, "deploy", true},
		{"a server's terminal was closed", ties{true, 7}, ties{false, 1}, "serve", true},
		{"the parent has ended at an open terminal", ties{true, 7}, ties{true, 1}, "deploy", false},
		{"the parent has ended", ties{false, 7}, ties{false, 300}, "deploy", true},
		{"a server's parent has ended", ties{false, 7}, ties{false, 1}, "serve", false},
		{"a demo's parent has ended", ties{false, 7}, ties{false, 1}, "demo", false},
		{"a service of the system", ties{false, 1}, ties{false, 1}, "deploy", false},
	} {
		if why := c.start.cut(c.now, c.command); (why != "") != c.ends {
			t.Errorf("%s: ends since %q, want %t", c.name, why, c.ends)
		}
	}
}
