package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Properties are a resource's properties as they go over the wire: a JSON object in one form (keys
// sorted, no spaces), so that two are the same if their strings are.
type Properties string

// Map returns the properties as encoding/json decodes them.
func (p Properties) Map() map[string]any {
	var m map[string]any
	if p != "" {
		_ = json.Unmarshal([]byte(p), &m) // written by wire: it is an object
	}
	return m
}

// Exact is Map with numbers as they are written, as json.Number.
func (p Properties) Exact() map[string]any {
	v, _ := decode([]byte(p)) // as in Map
	m, _ := v.(map[string]any)
	return m
}

// MarshalJSON returns the object itself.
func (p Properties) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("null"), nil
	}
	return []byte(p), nil
}

// UnmarshalJSON takes an object in any form.
func (p *Properties) UnmarshalJSON(text []byte) error {
	v, err := decode(text)
	if err != nil {
		return err
	}
	object, ok := v.(map[string]any)
	if !ok {
		*p = ""
		return nil
	}
	out, err := appendJSON(nil, object, false)
	*p = Properties(out)
	return err
}

// marshalProperties makes the properties of a template what a handler gets: true, 14 and
// 1.5 are strings in it, at every depth [O]; lists and maps keep their
// structure, and what is empty is kept [I].
func marshalProperties(properties map[string]any) (Properties, error) {
	out, err := appendJSON(make([]byte, 0, 256), properties, true)
	return Properties(out), err
}

// decode keeps numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// appendJSON appends v in the one form, scalars as strings if so asked.
func appendJSON(out []byte, v any, asStrings bool) (_ []byte, err error) {
	switch v := v.(type) {
	// What holds others, keys sorted.
	case map[string]any:
		out = append(out, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, k), ':')
			if out, err = appendJSON(out, v[k], asStrings); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case []any:
		out = append(out, '[')
		for i, e := range v {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendJSON(out, e, asStrings); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	// What has a form of its own.
	case nil:
		if asStrings { // [O] a template with null is refused
			return nil, fmt.Errorf("[/Resources] 'null' values are not allowed in templates")
		}
		return append(out, "null"...), nil
	case string:
		return appendString(out, v), nil
	}
	// Numbers and booleans.
	s, err := scalar(v)
	if err != nil {
		return nil, err
	}
	if asStrings {
		return appendString(out, s), nil
	}
	return append(out, s...), nil
}

// scalar is a scalar as CloudFormation writes it: a number as it was written
// where that is known [?], a boolean in lower case [O].
func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		return v.String(), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
	}
	return "", fmt.Errorf("a value of type %T cannot stand in a template", v)
}

func appendString(out []byte, s string) []byte {
	if !plain(s) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s) // a string always can be
		return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
	}
	out = append(out, '"')
	out = append(out, s...)
	return append(out, '"')
}

// plain reports whether s stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
