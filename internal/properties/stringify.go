package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// Stringify returns a template's value as CloudFormation sends it: booleans
// and numbers are strings, in lists and objects too; null members and elements
// are left out, since a template cannot hold them. It takes what
// encoding/json reads into any, and Go's own bool, integer, float, map and
// slice types; values of other types stay as they are. v is not changed.
func Stringify(v any) any {
	switch v := v.(type) {
	case nil, string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if value != nil {
				out[name] = Stringify(value)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, value := range v {
			if value != nil {
				out = append(out, Stringify(value))
			}
		}
		return out
	}
	return stringifyTyped(reflect.ValueOf(v))
}

func stringifyTyped(v reflect.Value) any {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32:
		return floatText(float32(v.Float()))
	case reflect.Float64:
		return floatText(v.Float())
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
	case reflect.Slice, reflect.Array:
		out := make([]any, 0, v.Len())
		for i := range v.Len() {
			if s := Stringify(v.Index(i).Interface()); s != nil {
				out = append(out, s)
			}
		}
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for key, value := range entries(v) {
			if s := Stringify(value.Interface()); s != nil {
				out[fmt.Sprint(key.Interface())] = s
			}
		}
		return out
	}
	return v.Interface()
}

// floatText writes a float as encoding/json does; NaN and the infinities,
// which no template holds, as Go does.
func floatText[F float32 | float64](f F) string {
	b, err := json.Marshal(f)
	if err != nil {
		return fmt.Sprint(f)
	}
	return string(b)
}
