package repo

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const apiFile = "api.txt"

// TestAPI compares the exported identifiers of the public packages with api.txt, so
// that they change only on purpose.
func TestAPI(t *testing.T) {
	packages := loadPublic(t)
	var got strings.Builder
	for i, p := range packages {
		if i > 0 {
			got.WriteString("\n")
		}
		for _, line := range describe(p) {
			fmt.Fprintln(&got, line)
		}
	}
	if *update {
		if err := os.WriteFile(apiFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the exported API is not what %s lists. If the change is meant, run `make api`, "+
			"and say in CHANGELOG.md what users have to change. (-listed +is):\n%s", apiFile, diff)
	}
}

// TestAPINamesNoOtherModule checks that no type of a dependency is part of the API,
// so that a dependency can be replaced without breaking users. The exceptions are
// packages stackphase and selfinvoke, which take a client of the AWS SDK.
func TestAPINamesNoOtherModule(t *testing.T) {
	for _, p := range loadPublic(t) {
		if p.Path() == module+"/cfnresource/stackphase" || p.Path() == module+"/cfnresource/selfinvoke" {
			continue
		}
		for _, line := range describe(p) {
			for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" *[](),", r) }) {
				if strings.Contains(word, "/") && strings.Contains(strings.Split(word, "/")[0], ".") && !strings.HasPrefix(word, module) {
					t.Errorf("%s: %s is of another module", line, word)
				}
			}
		}
	}
}

// loadPublic returns the public packages, type-checked, in the order of their paths.
func loadPublic(t *testing.T) (public []*types.Package) {
	t.Helper()
	from := got(t, exports)
	for _, p := range got(t, packages) {
		if isPublic(p) {
			public = append(public, got(t, func() (*types.Package, error) { return from.Import(p.ImportPath) }))
		}
	}
	if len(public) == 0 {
		t.Fatal("go list names no public packages")
	}
	slices.SortFunc(public, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	return public
}

// exports imports the public packages, what they link, and what else the programs in their
// documentation need.
var exports = sync.OnceValues(func() (types.Importer, error) {
	listed, err := packages()
	args := []string{"-export", "-deps", "testing", "github.com/aws/aws-lambda-go/lambda"}
	for _, p := range listed {
		if isPublic(p) {
			args = append(args, p.ImportPath)
		}
	}
	if err != nil {
		return nil, err
	}
	return importerOf(root, args...)
})

// importerOf returns an importer of what go list lists in a directory.
func importerOf(dir string, args ...string) (types.Importer, error) {
	listed, err := goList(dir, "ImportPath,Export", args...)
	files := make(map[string]string)
	for _, p := range listed {
		files[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), err
}

func isPublic(p goPackage) bool {
	path, ok := strings.CutPrefix(p.ImportPath, module+"/")
	return ok && len(p.GoFiles) > 0 && p.Name != "main" &&
		!strings.HasPrefix(path+"/", "examples/") && !strings.HasPrefix(path, "test/") && !strings.Contains("/"+path+"/", "/internal/")
}

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
