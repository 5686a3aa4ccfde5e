package template

import (
	"slices"
	"strings"
)

type kind int

const (
	scalar kind = iota
	list
	object
)

// String is the word for a kind in messages.
func (k kind) String() string {
	return [...]string{"a single value", "a list", "an object"}[k]
}

// node is one value of the template and its place in the file. YAML and JSON are read into the same tree, and short tags
// are written out in it: !Ref A is the object {Ref: A}.
type node struct {
	kind         kind
	line, column int
	parent       *node
	name         string // the step from parent: a key, or an index
	value        any    // of a scalar: string, bool or json.Number
	items        []*node
	fields       []field
}

// field is one entry of an object, in the order of the file.
type field struct {
	key   *node // a scalar holding the name
	value *node
}

func (f field) name() string { return f.key.name }

// path leads from the root to the node: /Resources/Hook/Properties/Rules/0.
func (n *node) path() string {
	var steps []string
	for ; n.parent != nil; n = n.parent {
		steps = append(steps, shorten(n.name))
	}
	if len(steps) == 0 {
		return ""
	}
	slices.Reverse(steps)
	return "/" + strings.Join(steps, "/")
}

// get is the value under a key of an object, or nil.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, f := range n.fields {
		if f.name() == name {
			return f.value
		}
	}
	return nil
}

// text is a scalar's string, and whether it is one.
func (n *node) text() (string, bool) {
	s, ok := n.value.(string)
	return s, ok && n.kind == scalar
}

// newScalar, newList and newObject make nodes that stand for something written at another place of the template, which
// is then the place that errors name.
func newScalar(at *node, value any) *node {
	return &node{kind: scalar, line: at.line, column: at.column, parent: at.parent, name: at.name, value: value}
}

func newList(at *node, items ...*node) *node {
	return &node{kind: list, line: at.line, column: at.column, parent: at.parent, name: at.name, items: items}
}

func newObject(at *node, fields ...field) *node {
	return &node{kind: object, line: at.line, column: at.column, parent: at.parent, name: at.name, fields: fields}
}

// newField is an entry whose key stands where its value stands.
func newField(name string, value *node) field {
	key := newScalar(value, name)
	key.name = name
	return field{key: key, value: value}
}

// shorten keeps a name that goes into a message to a readable length.
func shorten(s string) string {
	const most = 80
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}
