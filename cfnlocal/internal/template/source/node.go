// Package source reads template files into nodes that know their places, and reports mistakes at them.
// It knows the syntax of templates, and not their meaning.
package source

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a node is.
type Kind int

// The kinds.
const (
	Scalar Kind = iota
	List
	Object
)

// String is the word for a kind in messages.
func (k Kind) String() string {
	return [...]string{"a single value", "a list", "an object"}[k]
}

// Node is one value of the template and its place in the file. YAML and JSON are read into the same
// tree, and short tags are written out in it: !Ref A is the object {Ref: A}. The zero value stands
// for the file as a whole.
type Node struct {
	Kind         Kind
	line, column int
	parent       *Node
	Name         string // the step from parent: a key, or an index
	Value        any    // of a scalar: string, bool or json.Number
	Items        []*Node
	Fields       []Field
}

// Field is one entry of an object.
type Field struct {
	Key   *Node // only its Name and place count
	Value *Node
}

// Name is the entry's key.
func (f Field) Name() string { return f.Key.Name }

// Path leads from the root to the node: /Resources/Hook/Properties/Rules/0.
func (n *Node) Path() string {
	var steps []string
	for ; n.parent != nil; n = n.parent {
		steps = append(steps, Shorten(n.Name))
	}
	if len(steps) == 0 {
		return ""
	}
	slices.Reverse(steps)
	return "/" + strings.Join(steps, "/")
}

// Get is the value under a key of an object, or nil. A nil node has none.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for _, f := range n.Fields {
		if f.Name() == name {
			return f.Value
		}
	}
	return nil
}

// Listed are the items of a list, or another node as the only item. A nil node has none.
func (n *Node) Listed() []*Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == List:
		return n.Items
	}
	return []*Node{n}
}

// Text is a scalar's string, and whether it is one. A nil node has none.
func (n *Node) Text() (string, bool) {
	if n == nil {
		return "", false
	}
	s, ok := n.Value.(string)
	return s, ok && n.Kind == Scalar
}

// NewScalar is a single value that replaces a node: errors name that node's place.
func NewScalar(at *Node, value any) *Node {
	return &Node{Kind: Scalar, line: at.line, column: at.column, parent: at.parent, Name: at.Name, Value: value}
}

// NewList is a list that replaces a node.
func NewList(at *Node, items ...*Node) *Node {
	return &Node{Kind: List, line: at.line, column: at.column, parent: at.parent, Name: at.Name, Items: items}
}

// NewObject is an object that replaces a node.
func NewObject(at *Node, fields ...Field) *Node {
	return &Node{Kind: Object, line: at.line, column: at.column, parent: at.parent, Name: at.Name, Fields: fields}
}

// Within moves a node: its path is the parent's and the name.
func (n *Node) Within(parent *Node, name string) *Node {
	n.parent, n.Name = parent, name
	return n
}

// NewField is an entry whose key stands where its value stands.
func NewField(name string, value *Node) Field {
	return Field{Key: NewKey(value, name), Value: value}
}

// NewKey is a key that replaces a node.
func NewKey(at *Node, name string) *Node {
	return &Node{line: at.line, column: at.column, parent: at.parent, Name: name}
}

// IsCall reports whether an object is a function of CloudFormation, by the name of its only key.
func (n *Node) IsCall() bool {
	if n.Kind != Object || len(n.Fields) != 1 {
		return false
	}
	name := n.Fields[0].Name()
	return name == "Ref" || strings.HasPrefix(name, "Fn::")
}

// Describe describes a node for messages: a function by its name, else its kind.
func (n *Node) Describe() string {
	if n.IsCall() {
		return "the function " + Shorten(n.Fields[0].Name())
	}
	return n.Kind.String()
}

// Shorten keeps a name that goes into a message to a readable length. One with characters that nobody sees is quoted,
// with their codes: else the message would name two alike.
func Shorten(s string) string {
	const most = 80
	if Hidden(s) {
		s = strconv.Quote(s)
	}
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}

// Hidden reports whether a text has characters that nobody sees: a newline, a space at an end, one without width.
func Hidden(s string) bool {
	return s != strings.TrimSpace(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

const (
	// MaxBytes is CloudFormation's limit for a template in S3, and for one after its
	// transforms, in bytes (documented as 1 MB).
	MaxBytes = 1_000_000
	// maxDirectBytes is that limit for a template in the request itself.
	maxDirectBytes = 51_200
	// maxDepth bounds nesting. CloudFormation's own bound is not known; no template that people
	// write comes near.
	maxDepth = 100
)

// Read turns the body of a template into nodes: JSON if it begins with {, else YAML, whose tags
// stand for the functions that tags names. The root is nil if it cannot be read; then the report
// has errors.
func Read(body []byte, tags map[string]string, r *Report) *Node {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	switch {
	case len(body) > MaxBytes:
		r.Errorf(&Node{}, "the template has %d bytes, and CloudFormation accepts at most %d; split it into several stacks", len(body), MaxBytes)
		return nil
	case !utf8.Valid(body):
		r.Errorf(&Node{}, "the template is not UTF-8 text; save it as UTF-8")
		return nil
	case len(body) > maxDirectBytes:
		r.Warnf(&Node{}, "the template has %d bytes; above %d it must be put into S3 first, as sam deploy and aws cloudformation deploy --s3-bucket do", len(body), maxDirectBytes)
	}
	var root *Node
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '{' {
		root = readJSON(body, tags, r)
	} else {
		root = readYAML(body, tags, r)
	}
	if root != nil && root.Kind != Object && len(r.Errors) == 0 {
		r.Errorf(root, "a template must be an object of sections, not %s; write Resources: and the resources below it", root.Kind)
	}
	return root
}

// Text is the text of a single value, in the form that CloudFormation gives it in strings.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64: // an attribute, as decoded from an answer
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// Slice is a list as a slice, and whether the value is a list.
func Slice(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = s
		}
		return out, true
	}
	return nil, false
}

// Listed are the items of a list, or another value as the only item. nil has none.
func Listed(v any) []any {
	if l, ok := Slice(v); ok || v == nil {
		return l
	}
	return []any{v}
}
