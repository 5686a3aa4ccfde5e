package properties

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Flatten returns Data as it goes into the answer. Fn::GetAtt looks up "Endpoint.Port" as one name,
// so members of nested objects get dotted names; booleans and numbers become strings, as in a
// template; lists are kept, their leaves strings too; nulls are left out. nil has no attributes.
//
// Two values with one name are an error, and so is what cannot be written as
// JSON. The error names the attribute and not its value.
func Flatten(v any) (map[string]any, error) {
	raw, err := marshal(v)
	if err != nil {
		return nil, locateError("", reflect.ValueOf(v), err, 0)
	}
	parsed, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("Data: %w", err)
	}
	flat := map[string]any{}
	switch data := parsed.(type) {
	case nil:
		return flat, nil
	case map[string]any:
		if isFlat(data) { // mostly
			return data, nil
		}
		if err := flatten(flat, "", data); err != nil {
			return nil, err
		}
		return flat, nil
	}
	return nil, errors.New("Data must be written as an object, since Fn::GetAtt reads it by names: return a struct or a map")
}

func isFlat(data map[string]any) bool {
	for _, value := range data {
		if _, nested := value.(map[string]any); nested {
			return false
		}
	}
	return true
}

func flatten(flat map[string]any, prefix string, data map[string]any) error {
	// The order decides which of two values with one name is reported.
	for _, name := range slices.Sorted(maps.Keys(data)) {
		key := prefix + name
		switch value := data[name].(type) {
		case map[string]any:
			if err := flatten(flat, key+".", value); err != nil {
				return err
			}
		default:
			if _, taken := flat[key]; taken {
				return fmt.Errorf("Data.%s: two values have this name, since nested ones are flattened to dotted names: rename one", key)
			}
			flat[key] = value
		}
	}
	return nil
}

// locateError finds the attribute that cannot be marshaled, by marshaling one after the other.
func locateError(key string, v reflect.Value, err error, depth int) error {
	const deepest = 8 // what points to itself fails at every depth
	for range deepest {
		refers := v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface
		if !refers || marshalsItself(v.Type()) {
			break
		}
		v = v.Elem()
	}
	// The first member that fails by itself is the one to name.
	isLeaf := !v.IsValid() || marshalsItself(v.Type())
	if !isLeaf && depth < deepest {
		members := attributes(v)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			member := members[name]
			if !member.CanInterface() {
				continue
			}
			if _, err := marshal(member.Interface()); err != nil {
				return locateError(strings.TrimPrefix(key+"."+name, "."), member, err, depth+1)
			}
		}
	}
	if key == "" {
		return fmt.Errorf("Data: %w", err)
	}
	return fmt.Errorf("Data.%s: %w", key, err)
}

func marshalsItself(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && (t.Implements(jsonWriter) || t.Implements(textWriter))
}

// attributes returns what a struct or map holds, by name.
func attributes(v reflect.Value) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	switch v.Kind() {
	case reflect.Struct:
		fields, _ := fieldsOf(v.Type())
		for i := range fields {
			omitsZero := strings.Contains(fields[i].sf.Tag.Get("json"), ",omit")
			fv, ok := fields[i].in(v)
			isOmitted := ok && omitsZero && fv.IsZero()
			if ok && !isOmitted {
				all[fields[i].name] = fv
			}
		}
	case reflect.Map:
		for key, elem := range entries(v) {
			if name, err := keyText(key); err == nil {
				all[name] = elem
			}
		}
	}
	return all
}

// A Member is the value of an object's member. The zero Member is absent.
type Member struct {
	doc *document
	n   int
}

// Members calls each for the members of a JSON object, in their order; name must not
// be kept. It returns false, and calls nothing, if raw is no object.
func Members(raw []byte, each func(name []byte, value Member)) bool {
	doc, err := readObject(raw)
	if doc == nil || err != nil {
		return false
	}
	for name, value := range doc.members(doc.root) {
		each(doc.bytes(name), Member{doc, value})
	}
	return true
}

// JSON returns the value as it came, or nil if it is absent. It is a part of the
// text that was read.
func (m Member) JSON() json.RawMessage {
	if m.doc == nil {
		return nil
	}
	return m.doc.json(m.n)
}

// Text returns a string's text, and "" for null; it returns false for anything else.
func (m Member) Text() (string, bool) {
	switch m.doc.kind(m.n) {
	case text:
		return m.doc.text(m.n), true
	case null:
		return "", true
	}
	return "", false
}

// document returns the value as a document of its own, or nil if it is absent.
func (m Member) document() *document {
	if m.doc == nil {
		return nil
	}
	return &document{raw: m.doc.raw, nodes: m.doc.nodes, root: m.n}
}

// entries yields what a map holds. reflect.Value.Seq2 does so too, but links the
// calling of functions by reflection, some 20 kB of a program.
func entries(v reflect.Value) iter.Seq2[reflect.Value, reflect.Value] {
	return func(yield func(key, elem reflect.Value) bool) {
		for it := v.MapRange(); it.Next(); {
			if !yield(it.Key(), it.Value()) {
				return
			}
		}
	}
}

// maxJSONDepth is how deep encoding/json reads.
const maxJSONDepth = 10_000

// Shallow returns JSON text with null in the place of everything that is nested
// deeper than encoding/json reads, and whether there was any: what stands above
// can be read then. It does not judge whether the text is JSON.
func Shallow(raw []byte) (shallow []byte, deep bool) {
	depth, kept := 0, 0 // raw is copied up to kept
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i) // a bracket within text opens nothing
		case '{', '[':
			if depth++; depth == maxJSONDepth+1 {
				shallow = append(append(shallow, raw[kept:i]...), "null"...)
				kept, deep = len(raw), true
			}
		case '}', ']':
			if depth--; depth == maxJSONDepth {
				kept = i + 1
			}
		}
	}
	if !deep {
		return raw, false
	}
	return append(shallow, raw[kept:]...), true
}

// stringEnd returns the index of the closing quote of the string that begins at at, or
// the length of the text.
func stringEnd(raw []byte, at int) int {
	for i := at + 1; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			break
		}
		escapes := 0 // a quote after an even number of them is none of them's
		for escapes < n && raw[i+n-1-escapes] == '\\' {
			escapes++
		}
		if i += n; escapes%2 == 0 {
			return i
		}
		i++
	}
	return len(raw)
}
