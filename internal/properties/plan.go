package properties

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// A plan describes how values of one type are read. Plans are made once per
// [Schema] and refer to each other, in cycles where types do.
type plan struct {
	t      reflect.Type
	shape  shape
	elem   *plan // of a pointer, list, array or mapping
	key    shape // of a mapping: asText, asInt, asUint or asOwnText
	fields []field
	byName map[string]int // index in fields
	sorted []int          // indices in fields, by name

	secrets      bool // a property in it, at any depth, is tagged secret
	createOnly   bool // … is tagged createOnly
	runsUserCode bool // it, or what is in it, reads itself
	dataOnly     bool // of Data
}

// A shape is what a type is read as.
type shape uint8

const (
	asBool shape = iota
	asInt
	asUint
	asFloat
	asText
	asNumber   // json.Number
	asDuration // time.Duration
	asBytes    // []byte
	asAny      // an empty interface
	asOwnText  // by its UnmarshalText
	asOwnJSON  // by its UnmarshalJSON
	asPointer
	asList
	asArray
	asMapping
	asObject
	asNothing // in Data, where it is encoding/json that judges
)

// String says what is expected, for error texts.
func (s shape) String() string {
	switch s {
	case asBool:
		return "true or false"
	case asInt, asUint:
		return "a whole number"
	case asFloat, asNumber:
		return "a number"
	case asDuration:
		return "a duration with its unit (write 30s)"
	case asBytes:
		return "base64 text"
	case asList, asArray:
		return "a list"
	case asMapping, asObject:
		return "an object"
	}
	return "a string"
}

var (
	durationType   = reflect.TypeFor[time.Duration]()
	jsonNumberType = reflect.TypeFor[json.Number]()
	timeType       = reflect.TypeFor[time.Time]()
	textReader     = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonReader     = reflect.TypeFor[json.Unmarshaler]()
	textWriter     = reflect.TypeFor[encoding.TextMarshaler]()
	jsonWriter     = reflect.TypeFor[json.Marshaler]()
)

// lookup returns the field for a property's name, and whether the name matches exactly.
func (p *plan) lookup(name []byte) (i int, exact, ok bool) {
	if i, ok := p.byName[string(name)]; ok {
		return i, true, true
	}
	anyCase := string(name)
	for i := range p.fields {
		if strings.EqualFold(p.fields[i].name, anyCase) {
			return i, false, true
		}
	}
	return 0, false, false
}

// has reports whether match holds for the plan or one below it.
func (p *plan) has(match func(*plan) bool) bool {
	seen := map[*plan]bool{}
	var visit func(*plan) bool
	visit = func(q *plan) bool {
		if q == nil || seen[q] {
			return false
		}
		seen[q] = true
		if match(q) || visit(q.elem) {
			return true
		}
		for i := range q.fields {
			if visit(q.fields[i].plan) {
				return true
			}
		}
		return false
	}
	return visit(p)
}

func (p *plan) hasField(match func(tag) bool) bool {
	return p.has(func(q *plan) bool {
		for i := range q.fields {
			if match(q.fields[i].tag) {
				return true
			}
		}
		return false
	})
}
