package simulate

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

var (
	durationType      = reflect.TypeFor[time.Duration]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// withDurations returns wire, which encoding/json made of v, with durations as
// a template writes them: 30s and not a number of nanoseconds.
func withDurations(v reflect.Value, wire any) any {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return wire
	}
	if v.Type() == durationType {
		if _, ok := wire.(json.Number); ok {
			return v.Interface().(time.Duration).String()
		}
		return wire
	}
	if t := reflect.PointerTo(v.Type()); t.Implements(marshalerType) || t.Implements(textMarshalerType) {
		return wire // the type knows best
	}
	switch wire := wire.(type) {
	case []any: // of a slice or an array
		for i := range wire {
			wire[i] = withDurations(v.Index(i), wire[i])
		}
	case map[string]any:
		for name, value := range members(v) {
			if w, ok := wire[name]; ok {
				wire[name] = withDurations(value, w)
			}
		}
	}
	return wire
}

// members returns what v, a map or struct, holds, by its names in JSON.
func members(v reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value)
	switch v.Kind() {
	case reflect.Map:
		for key, value := range v.Seq2() {
			out[fmt.Sprint(key.Interface())] = value
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			field, err := v.FieldByIndexErr(f.Index)
			if err != nil || !f.IsExported() {
				continue // of an embedded nil pointer, or not sent
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			out[name] = field
		}
	}
	return out
}
