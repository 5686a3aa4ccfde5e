package play

// Paths to what is in properties.

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A path has dots between its names, and the number of an entry of a list for a name: Rules.0.Port. A line has to be able to
// hold any name. What else than letters and digits is in one is written as in a URL (RFC 3986).

// written returns a name as it stands in a path.
func written(name string) string { return leftAsItIs.Replace(url.QueryEscape(name)) }

// leftAsItIs replaces what a query of a URL has as it is, or has for a space.
var leftAsItIs = strings.NewReplacer(".", "%2E", "~", "%7E", "+", "%20")

// inPath returns the path of a member of what is at a path.
func inPath(path, name string) string {
	if path == allOfThem {
		return written(name)
	}
	return path + "." + written(name)
}

// namesIn returns the names in a path.
func namesIn(path string) []string {
	names := strings.Split(path, ".")
	for i, name := range names {
		if name, err := url.PathUnescape(name); err == nil {
			names[i] = name
		}
	}
	return names
}

// readable returns a path as an author writes it.
func readable(path string) string { return strings.Join(namesIn(path), ".") }

// isWithin reports whether a path is another one, or leads to a part of what is there.
func isWithin(path, other string) bool { return strings.HasPrefix(path+".", other+".") }

// index matches the places of elements in a path.
var index = regexp.MustCompile(`\.[0-9]+\b`)

// at returns the value at a path, or nil.
func at(in any, path string) any {
	for _, name := range namesIn(path) {
		switch value := in.(type) {
		case map[string]any:
			in = value[name]
		case []any:
			i, _ := strconv.Atoi(name)
			if in = nil; i < len(value) {
				in = value[i]
			}
		default:
			return nil
		}
	}
	return in
}

// replaced returns a value with another one at a path; nil is left out there.
func replaced(in any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if list, ok := in.([]any); ok {
		list = slices.Clone(list)
		if i, _ := strconv.Atoi(path[0]); i < len(list) {
			list[i] = replaced(list[i], path[1:], value)
		}
		return list
	}
	object, _ := in.(map[string]any)
	object = maps.Clone(object)
	if object[path[0]] = replaced(object[path[0]], path[1:], value); object[path[0]] == nil {
		delete(object, path[0])
	}
	return object
}
