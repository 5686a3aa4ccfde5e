package properties

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// isEmpty reports whether a value is left out of an identity: its type's zero
// value, an empty list or map, or a struct of nothing but these.
func isEmpty(p *plan, v reflect.Value) bool {
	switch p.shape {
	case asList, asBytes, asMapping:
		return v.Len() == 0
	case asOwnJSON, asOwnText:
		if v.IsZero() {
			return true
		}
		// Only its text says whether it is the same as zero.
		zero, err := canonicalOwn(nil, reflect.Zero(p.t))
		if err != nil {
			return false
		}
		text, err := canonicalOwn(nil, v)
		return err == nil && bytes.Equal(text, zero)
	case asObject:
		for i := range p.fields {
			if fv, ok := p.fields[i].in(v); ok && !isEmpty(p.fields[i].plan, fv) {
				return false
			}
		}
		return true
	}
	return v.IsZero()
}

func canonical(out []byte, p *plan, v reflect.Value) ([]byte, error) {
	// Scalars are written in one way, whichever way they came; what holds others, member by member.
	switch p.shape {
	case asBool:
		return strconv.AppendBool(out, v.Bool()), nil
	case asInt, asDuration:
		return strconv.AppendInt(out, v.Int(), 10), nil
	case asUint:
		return strconv.AppendUint(out, v.Uint(), 10), nil
	case asFloat:
		if p.t.Bits() == 32 {
			return appendJSON(out, float32(v.Float())), nil
		}
		return appendJSON(out, v.Float()), nil
	case asText:
		return appendText(out, v.String()), nil
	case asNumber:
		if d, ok := parseDecimal([]byte(v.String())); ok {
			return append(out, d.String()...), nil
		}
		return appendJSON(out, v.String()), nil
	case asBytes:
		return appendJSON(out, v.Bytes()), nil
	case asPointer:
		if v.IsNil() {
			return append(out, "null"...), nil
		}
		return canonical(out, p.elem, v.Elem())
	case asList, asArray:
		return canonicalList(out, p, v)
	case asMapping:
		return canonicalMap(out, p, v)
	case asObject:
		return canonicalObject(out, p, v)
	}
	return canonicalOwn(out, v)
}

func canonicalList(out []byte, p *plan, v reflect.Value) (_ []byte, err error) {
	out = append(out, '[')
	for i := range v.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = canonical(out, p.elem, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func canonicalObject(out []byte, p *plan, v reflect.Value) (_ []byte, err error) {
	out = append(out, '{')
	for _, i := range p.sorted {
		f := &p.fields[i]
		fv, ok := f.in(v)
		if !ok || isEmpty(f.plan, fv) {
			continue
		}
		if out, err = canonical(appendName(out, f.name), f.plan, fv); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func canonicalMap(out []byte, p *plan, v reflect.Value) (_ []byte, err error) {
	values := map[string]reflect.Value{}
	for key, elem := range entries(v) {
		name, err := keyText(key)
		if err != nil {
			return nil, err
		}
		if _, ok := values[name]; ok {
			return nil, fmt.Errorf("two keys of %s are written alike", p.t)
		}
		values[name] = elem
	}
	out = append(out, '{')
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if out, err = canonical(appendName(out, name), p.elem, values[name]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func keyText(key reflect.Value) (string, error) {
	switch {
	case key.Kind() == reflect.String:
		return key.String(), nil
	case key.Type().Implements(textWriter):
		var b []byte
		err := guard(func() (err error) {
			b, err = key.Interface().(encoding.TextMarshaler).MarshalText()
			return err
		})
		if err != nil {
			return "", fmt.Errorf("MarshalText of %s failed on a key", key.Type())
		}
		return string(b), nil
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), nil
	case key.CanUint():
		return strconv.FormatUint(key.Uint(), 10), nil
	}
	return "", fmt.Errorf("keys of type %s cannot be written", key.Type())
}

// canonicalOwn marshals a value by its type's own method, or the value in an interface,
// and normalizes the result.
func canonicalOwn(out []byte, v reflect.Value) ([]byte, error) {
	ptr := reflect.New(v.Type()) // has the methods with pointer receivers too
	ptr.Elem().Set(v)
	raw, err := marshal(ptr.Interface())
	if err != nil {
		return nil, err
	}
	value, err := parse(raw)
	if err != nil {
		return nil, err
	}
	return appendJSON(out, value), nil
}

// appendText appends a string as encoding/json writes it.
func appendText(out []byte, s string) []byte {
	if strings.ContainsFunc(s, isEscaped) {
		return appendJSON(out, s)
	}
	return append(append(append(out, '"'), s...), '"')
}

// appendJSON appends the JSON of a value that can always be marshaled: a string, a
// number, a []byte or a result of Stringify.
func appendJSON(out []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return append(out, "null"...)
	}
	return append(out, b...)
}

// isEscaped reports whether encoding/json may write c otherwise than as it is.
func isEscaped(c rune) bool {
	switch c {
	case '"', '\\', '<', '>', '&':
		return true
	}
	return c < ' ' || c > '~'
}
