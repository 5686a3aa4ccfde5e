package effect

import (
	"fmt"
	"reflect"
)

// Nothing reports whether a state says that there is nothing.
func Nothing(state any) bool {
	v := reflect.ValueOf(state)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// Shorten formats a state so that it fits a line.
func Shorten(state any) string {
	const longest = 500
	text := fmt.Sprintf("%+v", state)
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return text
}
