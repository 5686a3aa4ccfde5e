// Package optional finds optional methods that miss their interface: Go would
// never call them, and never say so.
package optional

import (
	"fmt"
	"reflect"
	"strings"
)

// Missed returns an error if t, which does not implement the interface of one
// method, has a method of that name that is meant to: its signature mentions a
// type of the interface's package.
func Missed(t, iface reflect.Type) error {
	want := iface.Method(0)
	got, ok := t.MethodByName(want.Name)
	if !ok || !mentions(got.Type, iface.PkgPath()) {
		return nil
	}
	return fmt.Errorf("%s has a method %s that would never be called: it is %s, make it %s",
		t, want.Name, signature(got.Type, 1), signature(want.Type, 0))
}

func mentions(method reflect.Type, pkgPath string) bool {
	for t := range method.Ins() {
		if of(t, pkgPath) && t != method.In(0) { // 0 is the receiver
			return true
		}
	}
	for t := range method.Outs() {
		if of(t, pkgPath) {
			return true
		}
	}
	return false
}

func of(t reflect.Type, pkgPath string) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == pkgPath
}

// signature is the text of a method's type without its first skip parameters.
func signature(t reflect.Type, skip int) string {
	var in, out []string
	for i := skip; i < t.NumIn(); i++ {
		in = append(in, t.In(i).String())
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i).String())
	}
	return "func(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")"
}
