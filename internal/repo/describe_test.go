package repo

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// describe returns a line for each exported identifier of a package. Methods and
// fields follow the type that declares them.
func describe(p *types.Package) []string {
	d := describer{types.RelativeTo(p)}
	lines := []string{"package " + p.Path()}
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		if typeName, ok := object.(*types.TypeName); ok {
			lines = append(lines, d.typeName(typeName)...)
			continue
		}
		line := types.ObjectString(object, d.qualify)
		if c, ok := object.(*types.Const); ok {
			line += " = " + c.Val().ExactString()
		}
		lines = append(lines, line)
	}
	return lines
}

type describer struct{ qualify types.Qualifier }

func (d describer) typeName(object *types.TypeName) []string {
	named, ok := object.Type().(*types.Named)
	if object.IsAlias() || !ok {
		return []string{types.ObjectString(object, d.qualify)}
	}
	head := "type " + types.TypeString(named, d.qualify)
	var lines []string
	switch t := named.Underlying().(type) {
	case *types.Struct:
		lines = append([]string{head + " struct"}, d.fields(object.Name(), t)...)
	case *types.Interface:
		lines = append([]string{head + " interface"}, d.interfaceMethods(object.Name(), t)...)
	default:
		lines = []string{head + " " + types.TypeString(t, d.qualify)}
	}
	var methods []string
	for method := range named.Methods() {
		if method.Exported() {
			methods = append(methods, "method "+strings.TrimPrefix(types.ObjectString(method, d.qualify), "func "))
		}
	}
	slices.Sort(methods)
	return append(lines, methods...)
}

func (d describer) fields(of string, t *types.Struct) (lines []string) {
	hidden := false
	for field := range t.Fields() {
		switch text := types.TypeString(field.Type(), d.qualify); {
		case !field.Exported():
			hidden = true
		case field.Embedded():
			lines = append(lines, fmt.Sprintf("embedded %s.%s", of, text))
		default:
			lines = append(lines, fmt.Sprintf("field %s.%s %s", of, field.Name(), text))
		}
	}
	if hidden {
		lines = append(lines, "field "+of+" and unexported ones")
	}
	return lines
}

func (d describer) interfaceMethods(of string, t *types.Interface) (lines []string) {
	hidden := false
	for method := range t.Methods() {
		if !method.Exported() {
			hidden = true
			continue
		}
		signature := strings.TrimPrefix(types.TypeString(method.Type(), d.qualify), "func")
		lines = append(lines, fmt.Sprintf("method %s.%s%s", of, method.Name(), signature))
	}
	if hidden {
		lines = append(lines, "method "+of+" and unexported ones")
	}
	return lines
}

// TestDescribe shows each kind of line, on a package made by hand.
func TestDescribe(t *testing.T) {
	// What the declarations below are made of.
	p := types.NewPackage("example.com/p", "p")
	str := types.Typ[types.String]
	add := func(o types.Object) { p.Scope().Insert(o) }
	define := func(name string, underlying types.Type) *types.Named {
		object := types.NewTypeName(token.NoPos, p, name, nil)
		add(object)
		return types.NewNamed(object, underlying, nil)
	}
	param := types.NewTuple(types.NewVar(token.NoPos, p, "s", str))
	function := func() *types.Signature { return types.NewSignatureType(nil, nil, nil, param, nil, false) }

	// The package.
	code := define("Code", str)
	code.AddMethod(types.NewFunc(token.NoPos, p, "Say", types.NewSignatureType(
		types.NewVar(token.NoPos, p, "c", code), nil, nil, param, nil, false)))
	define("hidden", str)
	define("Box", types.NewStruct([]*types.Var{
		types.NewField(token.NoPos, p, "Code", code, true),
		types.NewField(token.NoPos, p, "Name", str, false),
		types.NewField(token.NoPos, p, "secret", str, false),
	}, nil))
	define("Talker", types.NewInterfaceType([]*types.Func{
		types.NewFunc(token.NoPos, p, "Talk", function()),
		types.NewFunc(token.NoPos, p, "listen", function()),
	}, nil).Complete())
	add(types.NewFunc(token.NoPos, p, "Do", function()))
	add(types.NewVar(token.NoPos, p, "Err", types.Universe.Lookup("error").Type()))

	want := []string{
		"package example.com/p",
		"type Box struct",
		"embedded Box.Code",
		"field Box.Name string",
		"field Box and unexported ones",
		"type Code string",
		"method (Code).Say(s string)",
		"func Do(s string)",
		"var Err error",
		"type Talker interface",
		"method Talker.Talk(s string)",
		"method Talker and unexported ones",
	}
	if diff := cmp.Diff(want, describe(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
