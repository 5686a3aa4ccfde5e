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
	if !mentions(got.Type, t, iface.PkgPath()) {
		return nil
	}
	withoutReceiver := strings.NewReplacer("func("+t.String()+", ", "func(", "func("+t.String()+")", "func()")
	return fmt.Errorf("%s has a method %s that would never be called: it is %s, make it %s",
		t, got.Name, withoutReceiver.Replace(got.Type.String()), want.Type)
}

func mentions(method, receiver reflect.Type, pkgPath string) bool {
	for t := range method.Ins() {
		if isOfPackage(t, pkgPath) && t != receiver {
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
