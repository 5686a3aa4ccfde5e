package play

// Compares the things in a service at two moments, and finds where a fake changes them without calling Step before and
// after. Nothing here plays.

import (
	"fmt"
	"reflect"
)

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

// A stepCall is one call of a handler's method in which nothing went wrong.
type stepCall struct {
	Method string
	First  int // the number of its first Step among those of the request, from 1
	// Changes says, of each part into which Steps divide the call, whether the service
	// changed in it: before the first Step, between two, and after the last.
	Changes []bool
}

// missing says which Step is missing, or "". A fake that calls Step only after its
// effects is given credit for it: what is lost there is the reply.
func (c stepCall) missing() string {
	last := len(c.Changes) - 1
	switch {
	case last == 0 && c.Changes[0]:
		return "the handler's " + c.Method + " changes something in the service, and calls no Step"
	case c.Changes[last]:
		return fmt.Sprintf("the handler's %s changes something in the service after Step %d, and calls no Step after that", c.Method, c.First+last-1)
	case c.Changes[0]:
		return ""
	}
	for i := 1; i < last; i++ {
		if c.Changes[i] && c.Changes[i+1] {
			return fmt.Sprintf("the handler's %s changes something in the service before Step %d and after it: that is the Step before the second effect, and the one after the first is missing", c.Method, c.First+i)
		}
	}
	return ""
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
