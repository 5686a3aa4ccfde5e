package redact

import "bytes"

const (
	// levels is how many encodings are undone, one in another.
	levels = 4
	// The views of a text hold at most effort bytes for each of its own, and leastEffort beside.
	// Texts that are not made to be read in many ways have a half of it, or less.
	effort      = 64
	leastEffort = 64 << 10
)

// A reader reads a text in all ways in which it can be read.
type reader struct {
	each  func(*view)
	left  int              // how many bytes of views may still be made
	views [levels + 1]view // one for each level, used again and again
}

// readAll calls each with the view of a text, and with those of what is encoded in it. It reports
// whether that was all: time grows with the length of the text, whatever it holds.
func readAll(text string, each func(*view)) bool {
	r := reader{each: each, left: effort*len(text) + leastEffort}
	r.read(viewOf(text), levels)
	return r.left >= 0
}

// read reads a view, and what is encoded in it, as deep as that is undone.
func (r *reader) read(v *view, depth int) {
	r.each(v)
	w := &r.views[depth]
	if !isClean(v.text) { // a secret may be complete only without what cannot be printed
		w.decode(&cleaning, v)
		r.each(w)
	}
	if depth == 0 {
		return
	}
	for i := range encodings {
		w.decode(&encodings[i], v)
		if r.left -= len(w.text); r.left < 0 {
			return
		}
		if len(w.text) >= minSecret {
			r.read(w, depth-1)
		}
	}
}

func isASCII(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}
