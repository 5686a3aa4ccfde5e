package properties

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"
)

// errPanic stands for a panic in a type's own method. The panic's value is dropped,
// since it may hold the property's value.
var errPanic = errors.New("panic")

// guard calls a type's own method.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return f()
}

// unmarshalError returns the error for a failed UnmarshalText or UnmarshalJSON. It
// drops err's text, which may quote the value.
func unmarshalError(t reflect.Type, method string, err error) error {
	switch {
	case err == errPanic:
		return fmt.Errorf("%s's %s method panicked on what came", t, method)
	case t == timeType:
		return errors.New("a time was expected, but what came is not one: write it as 2006-01-02T15:04:05Z")
	}
	return fmt.Errorf("is not a valid %s: its %s method refused what came", t, method)
}

// unmarshalText reads a scalar, or a member's name, with its type's UnmarshalText.
func (d *decoder) unmarshalText(n int, t reflect.Type, v reflect.Value) bool {
	fresh := reflect.New(t)
	err := guard(func() error {
		return fresh.Interface().(encoding.TextUnmarshaler).UnmarshalText(bytes.Clone(d.doc.bytes(n)))
	})
	if err != nil {
		return d.fail(unmarshalError(t, "UnmarshalText", err))
	}
	v.Set(fresh.Elem())
	return true
}

// unmarshalJSON reads a value with its type's UnmarshalJSON. If that refuses a number
// or boolean in quotes, as CloudFormation sends them, it tries again without quotes.
func (d *decoder) unmarshalJSON(n int, p *plan, v reflect.Value) bool {
	// Each try has a value of its own, and text of its own: a method that fails may have changed both.
	read := func(raw []byte) error {
		fresh := reflect.New(p.t)
		err := guard(func() error { return fresh.Interface().(json.Unmarshaler).UnmarshalJSON(bytes.Clone(raw)) })
		if err == nil {
			v.Set(fresh.Elem())
		}
		return err
	}
	err := read(d.doc.json(n))
	if err == nil {
		return true
	}
	if d.doc.kind(n) == text {
		inner := d.doc.bytes(n)
		s := string(inner)
		isLiteral := s == "true" || s == "false" || isNumber(inner)
		if isLiteral && read(inner) == nil {
			return true
		}
	}
	return d.fail(unmarshalError(p.t, "UnmarshalJSON", err))
}

// setAny sets an interface to the JSON value as it came.
func (d *decoder) setAny(n int, v reflect.Value) bool {
	var a any
	if err := json.Unmarshal(d.doc.json(n), &a); err != nil {
		return d.fail(errors.New("a number in it does not fit float64"))
	}
	if a != nil {
		v.Set(reflect.ValueOf(a))
	}
	return true
}

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

// parseDocument reads and indexes raw. It takes what encoding/json takes, which is not
// nested more than 10,000 deep.
func parseDocument(raw []byte) (*document, error) {
	if len(raw) > math.MaxInt32 {
		return nil, errNotJSON
	}
	most := 1 // as many nodes as there can be
	for _, sign := range []string{",", ":", "{", "["} {
		most += bytes.Count(raw, []byte(sign))
	}
	s := scanner{raw: raw, nodes: make([]node, 0, most)}
	if !s.value() || s.more() {
		if _, deep := Shallow(raw); deep {
			return nil, errDeep
		}
		return nil, errNotJSON
	}
	return &document{raw: raw, nodes: s.nodes}, nil
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
