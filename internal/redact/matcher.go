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

const (
	// lookAhead is how many bytes behind a cut are read, so that a secret is known
	// where the cut goes through it.
	lookAhead = 4 << 10
	// openEnd is how many bytes at the end of what is read may be a part of
	// one unit of an encoding, and say nothing.
	openEnd = lookAhead / 2
)

// A cover counts, for each byte of a text, how many matches begin there, less those that end there.
type cover []int32

func (c cover) add(from, to int32) {
	c[from]++
	c[to]--
}

// redact returns the first limit bytes of text with a mask for everything in it that m finds, and
// whether that is not the whole text. It is not ok if the text can be read in too many ways.
func (m matcher) redact(text string, limit int) (redacted string, cut, ok bool) {
	kept, cut := start(text, limit)
	text, cutAhead := start(text, len(kept)+lookAhead)
	c := make(cover, len(text)+1)
	found := false
	ok = readAll(text, func(v *view) { found = m.search(c, v, cutAhead) || found })
	if !found {
		return kept, cut, ok
	}
	return c.masked(kept), cut, ok
}

// search adds what m finds in a view, and reports whether that is something. If the
// text was cut, what could be the start of a secret at its end is found too.
func (m matcher) search(c cover, v *view, cut bool) (found bool) {
	end := int32(len(c) - 1)
	at := int32(0)
	for i, b := range v.text {
		at = m.successor(at, fold(b))
		if n := m[at].found; n > 0 {
			c.add(v.spans[i+1-int(n)].from, v.spans[i].to)
			found = true
		}
		if n := m[at].length; cut && n > 0 && v.spans[i].to+openEnd > end {
			c.add(v.spans[i+1-int(n)].from, end)
			found = true
		}
	}
	return found
}

// masked returns text with a mask in place of each part that is covered.
func (c cover) masked(text string) string {
	var out strings.Builder
	depth := int32(0)
	for i := range len(text) {
		above := depth
		depth += c[i]
		switch {
		case depth == 0:
			out.WriteByte(text[i])
		case above == 0:
			out.WriteString(mask)
		}
	}
	return out.String()
}

// fold makes one of a space and the + that a query has in its place.
func fold(b byte) byte {
	if b == '+' {
		return ' '
	}
	return b
}
