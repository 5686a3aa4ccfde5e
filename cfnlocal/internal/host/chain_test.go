package host

import (
	"strings"
	"testing"
)

// FuzzReadChain: whatever a function sends as X-Ray's header, the chain goes on or
// begins, and what is handed on stays short.
func FuzzReadChain(f *testing.F) {
	for _, seed := range []string{
		"", "Root=1-6736a5ff-25b8e80625995fc3195d1db8;Parent=1cd4b7ac54511616;Sampled=0;Lineage=1:01bc76f7:0",
		"Root=1-64ff80a6-632b58284837d71d7c99be29;Sampled=0;Lineage=aae260cf:0%7C74085691:3", "Lineage=1:a:-1|:|b:99999999999999999999|c:65535", "Root=x;%zz",
		"Lineage=" + strings.Repeat("a:1|", 10000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		c := readChain(header)
		n := c.count(prefix + "f")
		again := readChain(c.header(prefix + "f"))
		if n < 1 || again.count(prefix+"f") != n+1 || again.count(prefix+"f:live") != n+1 || again.root != c.root || len(again.lineage) > maxAncestors {
			t.Errorf("%q is handed on as %q", header, c.header(prefix+"f"))
		}
	})
}
