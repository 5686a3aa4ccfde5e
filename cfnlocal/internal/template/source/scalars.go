package source

import (
	"encoding/json"
	"strconv"
)

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

// Listed are the items of a list, or a value that is none as the only item. nil has none.
func Listed(v any) []any {
	if l, ok := Slice(v); ok || v == nil {
		return l
	}
	return []any{v}
}
