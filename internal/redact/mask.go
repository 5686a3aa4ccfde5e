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
