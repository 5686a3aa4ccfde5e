package redact

import "strings"

const (
	// lookAhead is how many bytes behind a cut are read, so that a secret is known
	// where the cut goes through it.
	lookAhead = 4 << 10
	// openEnd is how many bytes at the end of what is read may be a part of
	// one unit of an encoding, and say nothing.
	openEnd = lookAhead / 2
)

// strikes counts, for each byte of a text, how many matches begin there, less
// those that end there.
type strikes []int32

func (s strikes) add(from, to int32) {
	s[from]++
	s[to]--
}

// redact returns the first limit bytes of text with a mask for everything in it
// that m finds, and whether that is not the whole text. It is not ok if the
// text can be read in too many ways.
func (m matcher) redact(text string, limit int) (redacted string, cut, ok bool) {
	kept, cut := start(text, limit)
	text, cutAhead := start(text, len(kept)+lookAhead)
	s := make(strikes, len(text)+1)
	found := false
	ok = readAll(text, func(v *view) { found = m.strike(s, v, cutAhead) || found })
	if !found {
		return kept, cut, ok
	}
	return s.write(kept), cut, ok
}

// strike adds what m finds in a view, and reports whether that is something. If the
// text was cut, what could be the start of a secret at its end is found too.
func (m matcher) strike(s strikes, v *view, cut bool) (found bool) {
	end := int32(len(s) - 1)
	at := int32(0)
	for i, b := range v.text {
		at = m.successor(at, fold(b))
		if n := m[at].found; n > 0 {
			s.add(v.spans[i+1-int(n)].from, v.spans[i].to)
			found = true
		}
		if n := m[at].length; cut && n > 0 && v.spans[i].to+openEnd > end {
			s.add(v.spans[i+1-int(n)].from, end)
			found = true
		}
	}
	return found
}

// write returns text with a mask for what is struck.
func (s strikes) write(text string) string {
	var out strings.Builder
	struck := int32(0)
	for i := range len(text) {
		was := struck
		struck += s[i]
		switch {
		case struck == 0:
			out.WriteByte(text[i])
		case was == 0:
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
