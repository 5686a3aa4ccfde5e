package properties

import (
	"encoding/json"
	"strconv"
)

// Stringify returns a template's value, as encoding/json reads it into any, as CloudFormation sends
// it: booleans and numbers are strings, in lists and objects too; null members and elements are
// left out, since a template cannot hold them. v is not changed.
func Stringify(v any) any {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case float64:
		return string(appendJSON(nil, v))
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
	return v
}
