package play

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// sameState reports whether two states are the same: nil is as good as empty.
func sameState(got, want any) bool {
	switch {
	case reflect.DeepEqual(got, want):
		return true
	case isNothing(got), isNothing(want):
		return false
	}
	return differences(got, want) == ""
}

// differ reports whether two states are not the same.
func differ(state, other any) bool { return !sameState(state, other) }

// A difference is a place at which two states differ.
type difference struct {
	at     string // such as .Rules[1].Port
	within string // .Rules[].Port: the same for each entry with members; for a key that one of the two lacks, that of the map
	is     string
	want   string

	got, wanted reflect.Value
	in          *difference // the list of which it is an entry, or a part of one; nil if of none
}

// differences says how a state differs from another one: what both have is left out.
func differences(got, want any) string {
	var all []string
	for _, d := range compareStates(got, want) {
		is, was := shortenBoth(d.is, d.want)
		all = append(all, fmt.Sprintf("\t%s is %s, want %s", shorten(cmp.Or(strings.TrimPrefix(d.at, "."), "it")), is, was))
	}
	const most = 10
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Sprintf("\tand %d more", more))
	}
	return strings.Join(all, "\n")
}

// compareStates returns the places at which two states differ.
func compareStates(got, want any) []difference {
	c := comparison{compared: map[comparedPair]bool{}}
	c.compare("", "", reflect.ValueOf(got), reflect.ValueOf(want))
	return c.all
}

// A comparison compares two states, each of which may hold itself.
type comparison struct {
	all      []difference
	compared map[comparedPair]bool
}

// A comparedPair are two pointers, maps or slices.
type comparedPair struct {
	a, b uintptr
	of   reflect.Type
	long int // if they are slices
}

// isCompared reports whether two values were compared already, and notes that they are.
func (c *comparison) isCompared(a, b reflect.Value) bool {
	p := comparedPair{a: a.Pointer(), b: b.Pointer(), of: a.Type()}
	if a.Kind() == reflect.Slice {
		p.long = a.Len()
	}
	compared := c.compared[p]
	c.compared[p] = true
	return compared
}

// compare compares what is at a place. What has no parts, or other parts than the other, is compared as a text.
func (c *comparison) compare(at, within string, a, b reflect.Value) {
	for a.Kind() == b.Kind() && holdsOne(a) && holdsOne(b) {
		if a.Kind() == reflect.Pointer && c.isCompared(a, b) {
			return
		}
		a, b = a.Elem(), b.Elem()
	}

	// Of one type.
	if a.IsValid() && b.IsValid() && a.Type() == b.Type() {
		switch a.Kind() {
		case reflect.Struct:
			for i := range a.NumField() {
				name := "." + a.Type().Field(i).Name
				c.compare(at+name, within+name, a.Field(i), b.Field(i))
			}
			return
		case reflect.Map:
			c.compareMaps(at, within, a, b)
			return
		case reflect.Slice:
			if a.Len() == b.Len() {
				c.compareSlices(at, within, a, b)
				return
			}
		}
	}
	// What is left has no parts to compare, or not the same ones.
	if is, was := textOf(a), textOf(b); is != was {
		c.all = append(c.all, difference{at: at, within: within, is: is, want: was, got: a, wanted: b})
	}
}

func (c *comparison) compareMaps(at, within string, a, b reflect.Value) {
	if c.isCompared(a, b) {
		return
	}
	names := map[string]reflect.Value{}
	for _, key := range slices.Concat(a.MapKeys(), b.MapKeys()) {
		names[fmt.Sprint(key)] = key
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, y := a.MapIndex(names[name]), b.MapIndex(names[name])
		inside := within
		if x.IsValid() && y.IsValid() {
			inside += dotted(name)
		}
		c.compare(at+dotted(name), inside, x, y)
	}
}

func (c *comparison) compareSlices(at, within string, a, b reflect.Value) {
	if a.Len() > 0 && c.isCompared(a, b) { // all that are empty may be at one place
		return
	}
	list, before := &difference{at: at, got: a, wanted: b}, len(c.all)
	for i := range a.Len() {
		c.compare(fmt.Sprintf("%s[%d]", at, i), within+entry(a.Index(i), i), a.Index(i), b.Index(i))
	}
	for i := range c.all[before:] {
		if d := &c.all[before+i]; d.in == nil {
			d.in = list
		}
	}
}

// holdsOne reports whether a value is an interface or a pointer that is not nil.
func holdsOne(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return !v.IsNil()
	}
	return false
}

// bare returns what interfaces and pointers hold, which may be nothing.
func bare(v reflect.Value) reflect.Value {
	for slices.Contains([]reflect.Kind{reflect.Interface, reflect.Pointer}, v.Kind()) {
		v = v.Elem()
	}
	return v
}

// withoutPlaces returns a state without what it has at some places: nil there, and maps in place of structs.
func withoutPlaces(state any, places []string) any {
	switch {
	case isNothing(state), holdsItself(reflect.ValueOf(state), nil):
		return state
	case slices.Contains(places, ""):
		return struct{}{} // it exists
	}
	return copyWithout(places, "", reflect.ValueOf(state), 0)
}

// copyWithout returns a copy of what is at a place.
func copyWithout(places []string, within string, v reflect.Value, depth int) any {
	const deepest = 100 // a pointer may lead back
	inside := func(name string, v reflect.Value) any { return copyWithout(places, within+name, v, depth+1) }
	v = bare(v)
	if slices.Contains(places, within) || depth == deepest {
		return nil
	}
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Struct:
		if v.Type().Implements(stringer) {
			break // its fields say less than its text
		}
		all := map[string]any{}
		for field, value := range v.Fields() {
			all[field.Name] = inside("."+field.Name, value)
		}
		return all
	case reflect.Map:
		all := map[string]any{}
		for key, value := range v.Seq2() {
			all[fmt.Sprint(key)] = inside(dotted(fmt.Sprint(key)), value)
		}
		return all
	case reflect.Slice:
		all := []any{}
		for i := range v.Len() {
			all = append(all, inside(entry(v.Index(i), i), v.Index(i)))
		}
		return all
	}
	if v.CanInterface() {
		return v.Interface()
	}
	return printed(v) // of a field that is not exported
}

// dotted returns the end of the place of a map's entry: in quotes unless its name can be read as it is.
func dotted(name string) string {
	hidden := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || strings.ContainsFunc(name, hidden) {
		return "." + strconv.Quote(name)
	}
	return "." + name
}

// entry returns the name of a list's entry: entries that have members are alike.
func entry(v reflect.Value, i int) string {
	switch bare(v).Kind() {
	case reflect.Struct, reflect.Map:
		return "[]"
	}
	return fmt.Sprintf("[%d]", i)
}

// stringer is of types that are shown by a text, such as a time.
var stringer = reflect.TypeFor[fmt.Stringer]()

// textOf formats a part of a state.
func textOf(v reflect.Value) string {
	if !v.IsValid() {
		return "not there"
	}
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return printed(v)
}

// printed formats a value as fmt does, which does not come to an end with one that holds itself.
func printed(v reflect.Value) string {
	if !holdsItself(v, nil) {
		return fmt.Sprintf("%+v", v)
	}
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return fmt.Sprintf("a %v with something that holds itself", v.Type())
	}
	return fmt.Sprintf("a %v of %d, and it holds itself", v.Type(), v.Len())
}

// holdsItself reports whether a map or a slice holds itself. within are those that v is in.
func holdsItself(v reflect.Value, within []uintptr) bool {
	if slices.Contains([]reflect.Kind{reflect.Map, reflect.Slice}, v.Kind()) && v.Len() > 0 {
		if slices.Contains(within, v.Pointer()) {
			return true
		}
		within = append(slices.Clip(within), v.Pointer())
	}
	return slices.ContainsFunc(parts(v), func(part reflect.Value) bool { return holdsItself(part, within) })
}

// parts returns what an interface, a struct, a map or a slice has in it.
func parts(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		all = append(all, v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			all = append(all, field)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			all = append(all, it.Value())
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, v.Index(i))
		}
	}
	return all
}

// shortenBoth shortens two texts that differ, so that it is seen where.
func shortenBoth(a, b string) (string, string) {
	const lead = 100 // bytes before the difference
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	if first < lead*2 {
		return shorten(a), shorten(b)
	}
	return "…" + shorten(a[first-lead:]), "…" + shorten(b[first-lead:])
}

// shorten formats a state so that it fits a line.
func shorten(state any) string {
	const longest = 500 // bytes
	text := "<nil>"
	if state != nil {
		text = printed(reflect.ValueOf(state))
	}
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// isNothing reports whether a state says that there is nothing.
func isNothing(state any) bool {
	v := reflect.ValueOf(state)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// An inventory holds the states of all things in a service, in any order, since a
// service may give them other IDs when it is played again.
type inventory []any

// lookAt returns the states of the things under some IDs.
func lookAt(ids []string, state func(id string) any) inventory {
	m := make(inventory, len(ids))
	for i, id := range ids {
		m[i] = state(id)
	}
	return m
}

// same reports whether two inventories hold the same states.
func (m inventory) same(other inventory) bool {
	if len(m) != len(other) {
		return false
	}
	taken := make([]bool, len(other))
next:
	for _, state := range m {
		for i, there := range other {
			if !taken[i] && reflect.DeepEqual(state, there) {
				taken[i] = true
				continue next
			}
		}
		return false
	}
	return true
}
