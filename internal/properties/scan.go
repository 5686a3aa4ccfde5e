package properties

import (
	"bytes"
	"strings"
)

// A scanner reads JSON text as encoding/json does, and indexes it in the same pass. Its
// methods return false if what stands at at cannot be read.
type scanner struct {
	raw   []byte
	at    int
	depth int
	nodes []node
}

func (s *scanner) value() (ok bool) {
	if !s.more() {
		return false
	}
	n, start, k := len(s.nodes), s.at, number
	s.nodes = append(s.nodes, node{})
	switch s.raw[start] {
	case '{':
		k, ok = object, s.each("}", s.member)
	case '[':
		k, ok = list, s.each("]", s.value)
	case '"':
		k, ok = text, s.text()
	case 't':
		k, ok = boolean, s.word("true")
	case 'f':
		k, ok = boolean, s.word("false")
	case 'n':
		k, ok = null, s.word("null")
	default:
		ok = s.number()
	}
	s.nodes[n] = node{k, int32(start), int32(s.at), int32(len(s.nodes))}
	return ok
}

// each reads what stands between brackets, with commas between.
func (s *scanner) each(end string, read func() bool) bool {
	s.at++
	if s.depth++; s.depth > maxJSONDepth || !s.more() {
		return false
	}
	if s.raw[s.at] != end[0] {
		for more := true; more; more = s.one(",") {
			if !read() || !s.more() {
				return false
			}
		}
	}
	s.depth--
	return s.one(end)
}

func (s *scanner) member() bool {
	return s.more() && s.raw[s.at] == '"' && s.value() && s.more() && s.one(":") && s.value()
}

func (s *scanner) text() bool {
	for s.at++; s.at < len(s.raw); {
		c := s.raw[s.at]
		s.at++
		switch {
		case c == '"':
			return true
		case c < ' ', c == '\\' && !s.escape():
			return false
		}
	}
	return false
}

func (s *scanner) escape() bool {
	if !s.one("u") {
		return s.one(`"\/bfnrt`)
	}
	const hex = "0123456789abcdefABCDEF"
	return s.one(hex) && s.one(hex) && s.one(hex) && s.one(hex)
}

func (s *scanner) number() bool {
	s.one("-")
	if !s.one("0") && !s.digits() || s.one(".") && !s.digits() {
		return false
	}
	if !s.one("eE") {
		return true
	}
	s.one("+-")
	return s.digits()
}

func (s *scanner) digits() (some bool) {
	for s.one("0123456789") {
		some = true
	}
	return some
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.raw[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// one reads one of these characters.
func (s *scanner) one(of string) bool {
	if s.at == len(s.raw) || strings.IndexByte(of, s.raw[s.at]) < 0 {
		return false
	}
	s.at++
	return true
}

// more skips white space, and reports whether anything is left.
func (s *scanner) more() bool {
	for ; s.at < len(s.raw); s.at++ {
		switch s.raw[s.at] {
		case ' ', '\t', '\r', '\n':
		default:
			return true
		}
	}
	return false
}
