package cfnresource

import (
	"fmt"
	"reflect"
	"strings"
)

// An optional method that misses its interface would never be called, and Go would not say so.
// checkFind returns an error if t, which does not implement finder, has a method Find that is meant
// to: its signature mentions a type of finder's package.
//
// The names are constants, since a look-up by a variable one makes the linker
// keep every method of every type.
func checkFind(t, finder reflect.Type) error {
	got, ok := t.MethodByName("Find")
	if !ok {
		return nil
	}
	want, _ := finder.MethodByName("Find")
	return checkSignature(t, got, want, finder)
}

// checkValidate is checkFind for Validate.
func checkValidate(t, validator reflect.Type) error {
	got, ok := t.MethodByName("Validate")
	if !ok {
		return nil
	}
	want, _ := validator.MethodByName("Validate")
	return checkSignature(t, got, want, validator)
}

func checkSignature(t reflect.Type, got, want reflect.Method, iface reflect.Type) error {
	if !mentions(got.Type, iface.PkgPath()) {
		return nil
	}
	return fmt.Errorf("%s has a method %s that would never be called: it is %s, make it %s",
		t, got.Name, signature(got.Type, 1), signature(want.Type, 0))
}

func mentions(method reflect.Type, pkgPath string) bool {
	for t := range method.Ins() {
		if isOfPackage(t, pkgPath) && t != method.In(0) { // 0 is the receiver
			return true
		}
	}
	for t := range method.Outs() {
		if isOfPackage(t, pkgPath) {
			return true
		}
	}
	return false
}

func isOfPackage(t reflect.Type, pkgPath string) bool {
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
	for out0 := range t.Outs() {
		out = append(out, out0.String())
	}
	return "func(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")"
}
