package properties

import (
	"encoding/json"
	"slices"
	"strings"
)

// A scanner reads JSON text as encoding/json does, and indexes it in the same pass. Its
// methods return false if what comes next is not what they read.
type scanner struct {
	raw   []byte
	at    int // what comes next
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
		k, ok = object, s.each('}', s.member)
	case '[':
		k, ok = list, s.each(']', s.value)
	case '"':
		k, ok = text, s.scalar()
	case 't', 'f':
		k, ok = boolean, s.scalar()
	case 'n':
		k, ok = null, s.scalar()
	default:
		ok = s.scalar()
	}
	s.nodes[n] = node{k, int32(start), int32(s.at), int32(len(s.nodes))}
	return ok
}

// each reads what stands between brackets, with commas between.
func (s *scanner) each(end byte, read func() bool) bool {
	s.at++
	if s.depth++; s.depth > maxJSONDepth || !s.more() {
		return false
	}
	if s.raw[s.at] != end {
		for more := true; more; more = s.sign(',') {
			goesOn := read() && s.more()
			if !goesOn {
				return false
			}
		}
	}
	s.depth--
	return s.sign(end)
}

func (s *scanner) member() bool {
	hasName := s.more() && s.raw[s.at] == '"' && s.value()
	hasColon := hasName && s.more() && s.sign(':')
	return hasColon && s.value()
}

// scalar reads up to what ends any scalar. Nearly all are strings that need no second
// look, since CloudFormation makes strings of what is none.
func (s *scanner) scalar() bool {
	start := s.at
	if s.raw[s.at] == '"' {
		s.at = min(stringEnd(s.raw, s.at)+1, len(s.raw))
	}
	for s.at < len(s.raw) && strings.IndexByte(",:]} \t\r\n", s.raw[s.at]) < 0 {
		s.at++
	}
	value := s.raw[start:s.at]
	return isPlain(value) || json.Valid(value)
}

// isPlain reports whether a scalar is a string without escapes.
func isPlain(value []byte) bool {
	last := len(value) - 1
	isQuoted := last > 0 && value[0] == '"' && value[last] == '"'
	isSpecial := func(c byte) bool { return c == '"' || c == '\\' || c < ' ' }
	return isQuoted && !slices.ContainsFunc(value[1:last], isSpecial)
}

func (s *scanner) sign(c byte) bool {
	is := s.at < len(s.raw) && s.raw[s.at] == c
	if is {
		s.at++
	}
	return is
}

// more skips white space, and reports whether anything comes.
func (s *scanner) more() bool {
	for s.at < len(s.raw) && strings.IndexByte(" \t\r\n", s.raw[s.at]) >= 0 {
		s.at++
	}
	return s.at < len(s.raw)
}
