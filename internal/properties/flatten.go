package properties

import (
	"errors"
	"fmt"
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
		if !v.IsValid() || v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface || marshalsItself(v.Type()) {
			break
		}
		v = v.Elem()
	}
	if v.IsValid() && depth < deepest && !marshalsItself(v.Type()) {
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
			omitted := strings.Contains(fields[i].sf.Tag.Get("json"), ",omit")
			if fv, ok := fields[i].in(v); ok && (!omitted || !fv.IsZero()) {
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
