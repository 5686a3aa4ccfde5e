package properties

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"unicode/utf8"
)

// A document is JSON text with an index of its values. The index is made in one pass,
// and lets a reader skip a value in one step. So only the last of several members with
// the same name is read, and no text is read twice.
type document struct {
	raw   []byte
	nodes []node
	root  int // the node that is read: a part of an event is a document too
}

// A node is one value, or the name of an object's member. The nodes below it follow it:
// the elements of a list; for an object, name, value, name, value.
type node struct {
	kind       kind
	start, end int32 // in raw
	next       int32 // index of the first node that is not below this one
}

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "a list", "an object"}[k]
}

var (
	errNotJSON = errors.New("the properties are not valid JSON, or too large")
	errDeep    = errors.New("the properties are nested more than 10,000 deep, which encoding/json does not read: nest less")
)

// emptyObject stands for properties that are absent.
var emptyObject = &document{raw: []byte("{}"), nodes: []node{{kind: object, end: 2, next: 1}}}

// parseDocument indexes raw. encoding/json judges whether it is valid (and not nested
// more than 10,000 deep); the pass after it can be simple, and needs no stack
// but its own.
func parseDocument(raw []byte) (*document, error) {
	if len(raw) > math.MaxInt32 {
		return nil, errNotJSON
	}
	if !json.Valid(raw) {
		if _, deep := Shallow(raw); deep {
			return nil, errDeep
		}
		return nil, errNotJSON
	}

	// As many nodes as there can be.
	most := 1
	for _, sign := range []string{",", ":", "{", "["} {
		most += bytes.Count(raw, []byte(sign))
	}
	d := &document{raw: raw, nodes: make([]node, 0, most)}

	// One pass, with the nodes that are not yet closed.
	var open []int32
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		case '{', '[':
			open = append(open, int32(len(d.nodes)))
			k := list
			if c == '{' {
				k = object
			}
			d.nodes = append(d.nodes, node{kind: k, start: int32(i)})
			i++
		case '}', ']':
			i++
			last := len(open) - 1
			n := &d.nodes[open[last]]
			n.end, n.next = int32(i), int32(len(d.nodes))
			open = open[:last]
		default:
			end := i + scalarLen(raw[i:])
			d.nodes = append(d.nodes, node{scalarKind(c), int32(i), int32(end), int32(len(d.nodes) + 1)})
			i = end
		}
	}
	return d, nil
}

func scalarKind(first byte) kind {
	switch first {
	case '"':
		return text
	case 't', 'f':
		return boolean
	case 'n':
		return null
	}
	return number
}

// scalarLen returns the length of the scalar that valid JSON begins with.
func scalarLen(raw []byte) int {
	if raw[0] == '"' {
		return stringEnd(raw, 0) + 1
	}
	for i, c := range raw {
		switch c {
		case ',', ':', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(raw)
}

func (d *document) kind(n int) kind { return d.nodes[n].kind }
func (d *document) next(n int) int  { return int(d.nodes[n].next) }

// json returns the text of a value as it came.
func (d *document) json(n int) []byte { return d.raw[d.nodes[n].start:d.nodes[n].end] }

// bytes returns a scalar's text, without the quotes and escapes of a string. The caller
// must not change or keep it.
func (d *document) bytes(n int) []byte {
	raw := d.json(n)
	if d.kind(n) != text {
		return raw
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	var s string
	_ = json.Unmarshal(raw, &s) // a valid string: it cannot fail
	return []byte(s)
}

// text returns a scalar's text, without the quotes and escapes of a string.
func (d *document) text(n int) string { return string(d.bytes(n)) }

// elements yields the values of a list with their positions.
func (d *document) elements(n int) func(yield func(i, value int) bool) {
	return func(yield func(i, value int) bool) {
		for i, c := 0, n+1; c < d.next(n); i, c = i+1, d.next(c) {
			if !yield(i, c) {
				return
			}
		}
	}
}

// members yields the names and values of an object.
func (d *document) members(n int) func(yield func(name, value int) bool) {
	return func(yield func(name, value int) bool) {
		for c := n + 1; c < d.next(n); c = d.next(c + 1) {
			if !yield(c, c+1) {
				return
			}
		}
	}
}
