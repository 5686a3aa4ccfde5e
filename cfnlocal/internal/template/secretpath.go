package template

import (
	"encoding/json"
	"strconv"
)

// SecretPath leads to a value within properties: names, and places in lists.
type SecretPath []string

// SecretValues returns the strings and numbers that paths lead to in properties.
func SecretValues(properties map[string]any, paths []SecretPath) (all []string) {
	for _, path := range paths {
		var v any = properties
		for _, step := range path {
			switch parent := v.(type) {
			case map[string]any:
				v = parent[step]
			case []any:
				i, err := strconv.Atoi(step)
				if v = nil; err == nil && 0 <= i && i < len(parent) {
					v = parent[i]
				}
			default:
				v = nil
			}
		}
		all = collectTexts(all, v)
	}
	return all
}

func collectTexts(all []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(all, v)
	case json.Number:
		return append(all, v.String())
	case []any:
		for _, e := range v {
			all = collectTexts(all, e)
		}
	case map[string]any:
		for _, e := range v {
			all = collectTexts(all, e)
		}
	}
	return all
}
