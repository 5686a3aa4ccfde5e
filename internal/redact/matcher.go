package redact

import (
	"slices"
	"strings"
)

// A matcher finds strings in a text, all in one pass (A. Aho, M. Corasick: "Efficient string
// matching", 1975). Time and memory grow with the length of what it is made of, whatever that is.
type matcher []state

// A state is what one string, or several, begin with. States are ordered by the
// length of that, and those that follow on one state by the next byte.
type state struct {
	label  byte  // the last byte
	first  int32 // the first state that is longer by one byte; the last is before the next state's first
	fail   int32 // the longest state that this one ends in, but itself
	length int32
	found  int32 // the length of the longest string that ends here, or 0
}

// newMatcher returns the matcher of patterns, in which a + is as good as a space.
func newMatcher(patterns []string) matcher {
	for i, p := range patterns {
		patterns[i] = strings.ReplaceAll(p, "+", " ")
	}
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	total := 1
	for _, p := range patterns {
		total += len(p)
	}
	m := append(make(matcher, 0, total), state{})
	type group struct{ low, high int32 } // of the patterns that begin with one state's string
	groups := append(make([]group, 0, total), group{0, int32(len(patterns))})
	for s := 0; s < len(m); s++ {
		m[s].first, m[s].found = int32(len(m)), m[m[s].fail].found
		low, high, depth := groups[s].low, groups[s].high, int(m[s].length)
		if low < high && len(patterns[low]) == depth {
			m[s].found = m[s].length
			low++
		}
		for low < high {
			label, from := patterns[low][depth], low
			for low < high && patterns[low][depth] == label {
				low++
			}
			var fail int32
			if s > 0 {
				fail = m.successor(m[s].fail, label)
			}
			m = append(m, state{label: label, fail: fail, length: int32(depth + 1)})
			groups = append(groups, group{from, low})
		}
	}
	return m
}

// successor returns the state that follows on s with a byte.
func (m matcher) successor(s int32, label byte) int32 {
	for {
		end := int32(len(m))
		if int(s)+1 < len(m) {
			end = m[s+1].first
		}
		for low := m[s].first; low < end; { // a binary search
			middle := (low + end) / 2
			switch found := m[middle].label; {
			case found == label:
				return middle
			case found < label:
				low = middle + 1
			default:
				end = middle
			}
		}
		if s == 0 {
			return 0
		}
		s = m[s].fail
	}
}
