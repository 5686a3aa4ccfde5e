package properties

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
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

// shapes says of each shape what is expected, for error texts, and the form that others know it by.
var shapes = [...]struct {
	expected string
	form     Form
}{
	asBool:     {"true or false", Boolean},
	asInt:      {"a whole number", Integer},
	asUint:     {"a whole number", Integer},
	asFloat:    {"a number", Float},
	asText:     {"a string", Text},
	asNumber:   {"a number", Float},
	asDuration: {"a duration with its unit (write 30s)", Duration},
	asBytes:    {"base64 text", Bytes},
	asAny:      {"a string", Anything},
	asOwnText:  {"a string", Text},
	asOwnJSON:  {"a string", Anything},
	asPointer:  {"a string", Anything},
	asList:     {"a list", List},
	asArray:    {"a list", Array},
	asMapping:  {"an object", Mapping},
	asObject:   {"an object", Object},
	asNothing:  {"a string", Anything},
}

func (s shape) String() string { return shapes[s].expected }

var (
	durationType   = reflect.TypeFor[time.Duration]()
	jsonNumberType = reflect.TypeFor[json.Number]()
	timeType       = reflect.TypeFor[time.Time]()
	textReader     = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonReader     = reflect.TypeFor[json.Unmarshaler]()
	textWriter     = reflect.TypeFor[encoding.TextMarshaler]()
	jsonWriter     = reflect.TypeFor[json.Marshaler]()
)

// pointee returns the plan of what a pointer leads to, and p itself if it is of none.
func (p *plan) pointee() *plan {
	for p != nil && p.shape == asPointer {
		p = p.elem
	}
	return p
}

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
	seen := map[*plan]bool{} // a type may contain itself
	var visit func(*plan) bool
	visit = func(q *plan) bool {
		if q == nil || seen[q] {
			return false
		}
		seen[q] = true
		return match(q) || visit(q.elem) || slices.ContainsFunc(q.fields, func(f field) bool { return visit(f.plan) })
	}
	return visit(p)
}

func (p *plan) hasField(match func(tag) bool) bool {
	return p.has(func(q *plan) bool { return slices.ContainsFunc(q.fields, func(f field) bool { return match(f.tag) }) })
}

// A tag is a parsed cfn tag.
type tag struct {
	createOnly   bool // part of the resource's identity: another value is another resource
	required     bool
	secret       bool
	reference    bool // a dynamic reference in it is handed over as it is
	hasDefault   bool
	defaultValue string
}

// parseTag parses a field's cfn tag: words separated by commas. default= takes the rest of the tag.
func parseTag(st reflect.StructTag) (tag, error) {
	var t tag
	words := st.Get("cfn")
	if malformed(st) {
		return t, errors.New("the cfn tag is malformed: write `cfn:\"createOnly\"`, without a space after the colon, with double quotes")
	}

	// A default may contain commas, so it is the last word.
	for words != "" {
		if value, ok := strings.CutPrefix(strings.TrimLeft(words, " "), "default="); ok {
			t.hasDefault, t.defaultValue = true, value
			break
		}
		word, after, more := strings.Cut(words, ",")
		if more && after == "" {
			return t, errors.New("the cfn tag ends in a comma: remove it")
		}
		switch strings.TrimSpace(word) {
		case "createOnly":
			t.createOnly = true
		case "required":
			t.required = true
		case "secret":
			t.secret = true
		case "reference":
			t.reference = true
		default:
			return t, fmt.Errorf("%q in the cfn tag is not known: write createOnly, required, secret, reference or default=…", word)
		}
		words = after
	}
	if t.required && t.hasDefault {
		return t, errors.New("a required property needs no default: remove one of the two from the cfn tag")
	}
	return t, nil
}

// hasTag reports whether a field has a cfn tag, well formed or not.
func hasTag(f reflect.StructField) bool {
	_, ok := f.Tag.Lookup("cfn")
	return ok || malformed(f.Tag)
}

// malformed reports whether a field has a cfn tag that package reflect does not find,
// because of missing quotes or an extra space.
func malformed(st reflect.StructTag) bool {
	rest := strings.TrimLeft(string(st), " ")
	for rest != "" {
		key, value, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || quoted[0] != '"' || strings.ContainsAny(key, " \"") {
			// Package reflect stops here, and finds no tag that follows.
			return strings.Contains(rest, "cfn")
		}
		rest = strings.TrimLeft(value[len(quoted):], " ")
	}
	return false
}
