package redact

import "bytes"

// A view is what a text says after encodings have been undone. It remembers
// where each byte comes from.
type view struct {
	text  []byte
	spans []span // text[i] comes from the bytes spans[i].from to spans[i].to of the source
}

type span struct{ from, to int32 }

// viewOf returns the view of a text as it is.
func viewOf(text string) *view {
	v := &view{[]byte(text), make([]span, len(text))}
	for i := range v.spans {
		v.spans[i] = span{int32(i), int32(i + 1)}
	}
	return v
}

func (v *view) cut(n int) { v.text, v.spans = v.text[:n], v.spans[:n] }

// add appends what size bytes at a place of from stand for: text is that of v with it.
func (v *view) add(text []byte, from *view, at, size int) {
	s := span{from.spans[at].from, from.spans[at+size-1].to}
	for range len(text) - len(v.text) {
		v.spans = append(v.spans, s)
	}
	v.text = text
}

// decode makes v the view of from with one encoding undone. It is empty if that says nothing new.
func (v *view) decode(e *encoding, from *view) {
	v.cut(0)
	if e.inPlace {
		v.unescape(e, from)
		return
	}
	if allASCII := v.findRuns(e, from); allASCII && e.beyondASCII {
		v.cut(0)
	}
}

// unescape undoes all units of e and keeps the rest as it is.
func (v *view) unescape(e *encoding, from *view) {
	found, done := false, 0 // the first done bytes of from are in v
	for i := 0; i < len(from.text); i++ {
		if !e.begins[from.text[i]] {
			continue
		}
		v.copy(from, done, i)
		done = i
		if text, size := e.unit(v.text, from.text[i:], i, false); size > 0 {
			found = true
			v.add(text, from, i, size)
			done += size
			i = done - 1
		}
	}
	if !found {
		v.cut(0)
		return
	}
	v.copy(from, done, len(from.text))
}

// copy appends a part of from as it is.
func (v *view) copy(from *view, begin, end int) {
	v.text = append(v.text, from.text[begin:end]...)
	v.spans = append(v.spans, from.spans[begin:end]...)
}

// gap stands behind each run of a view that keeps only runs. No encoding has it.
const gap = 0xff

// findRuns keeps what runs of units stand for. Those that are too short to hold a
// secret are left out. It reports whether all that it kept is ASCII, the gaps aside.
func (v *view) findRuns(e *encoding, from *view) (allASCII bool) {
	allASCII = true
	for i := 0; i < len(from.text); {
		if skip := e.skip(from.text[i:]); skip > 0 {
			i += skip
			continue
		}
		first, before := i, len(v.text)
		for i < len(from.text) {
			text, size := e.unit(v.text, from.text[i:], i, i > first)
			if size == 0 {
				break
			}
			v.add(text, from, i, size)
			i += size
		}
		switch {
		case i == first:
			i++
		case len(v.text)-before < minSecret: // one that does may begin inside of it
			v.cut(before)
			i = first + 1
		default:
			allASCII = allASCII && isASCII(v.text[before:])
			v.add(append(v.text, gap), from, i-1, 1)
		}
	}
	return allASCII
}

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
