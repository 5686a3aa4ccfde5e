// Package secret finds the values in properties that are not to be shown.
package secret

import (
	"encoding/json"
	"strconv"
)

// A Path leads to a value within properties: names, and places in lists.
type Path []string

// Values returns the strings and numbers that paths lead to in properties.
func Values(properties map[string]any, paths []Path) (all []string) {
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
		all = collect(all, v)
	}
	return all
}

func collect(all []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(all, v)
	case json.Number:
		return append(all, v.String())
	case []any:
		for _, e := range v {
			all = collect(all, e)
		}
	case map[string]any:
		for _, e := range v {
			all = collect(all, e)
		}
	}
	return all
}
