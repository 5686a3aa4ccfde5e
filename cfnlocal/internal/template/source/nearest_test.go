package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNearest: a slip is recognised, another word is not.
func TestNearest(t *testing.T) {
	known := []string{"Provider", "ProviderRole", "Topic", "Queue", "A"}
	for name, want := range map[string]string{
		"Provder": "Provider", "provider": "Provider", "ProviderRol": "ProviderRole", "Topics": "Topic", "Quue": "Queue", "Tpoic": "Topic", "B": "A",
		"Subscription": "", "Bucket": "", "": "A",
	} {
		if got := Nearest(name, slices.Values(known)); got != want {
			t.Errorf("nearest(%q) is %q, want %q", name, got, want)
		}
	}
}

// Hundreds of long names, each a slip of each other, are not compared: that took half a minute.
func TestLongNamesAreNotCompared(t *testing.T) {
	var long []string
	for n := range 500 {
		long = append(long, fmt.Sprintf("%0255d", n))
	}
	for _, name := range long {
		if near := Nearest("x"+name[1:], slices.Values(long)); near != "" {
			t.Fatalf("compared with %s", near)
		}
	}
	if short := strings.Repeat("A", maxSimilar); Nearest(short[1:]+"B", slices.Values([]string{short})) != short {
		t.Error("a slip in a name that people write is not recognised")
	}
}

// FuzzDistance holds the distance against its definition.
func FuzzDistance(f *testing.F) {
	f.Add("Provider", "Provdier", 3)
	f.Add("", "abc", 4)
	f.Add("abcdefgh", "hgfedcba", 2)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if a, b, limit = a[:min(len(a), 30)], b[:min(len(b), 30)], 1+(limit&7); distance(a, b, limit) != min(defined(a, b), limit) {
			t.Errorf("the distance of %q and %q is %d, to %d: %d", a, b, defined(a, b), limit, distance(a, b, limit))
		}
	})
}

// defined is the distance, letter by letter.
func defined(a, b string) int {
	known := map[[2]int]int{}
	var of func(i, j int) int
	of = func(i, j int) int {
		if i == 0 || j == 0 {
			return i + j
		}
		if d, ok := known[[2]int{i, j}]; ok {
			return d
		}
		cost := 1
		if a[i-1] == b[j-1] {
			cost = 0
		}
		d := min(of(i-1, j)+1, of(i, j-1)+1, of(i-1, j-1)+cost)
		if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
			d = min(d, of(i-2, j-2)+1)
		}
		known[[2]int{i, j}] = d
		return d
	}
	return of(len(a), len(b))
}
