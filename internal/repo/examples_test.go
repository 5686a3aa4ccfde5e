package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// public are the packages that users import.
var public = []string{"cfnresource", "cfnresource/schema", "cfnresource/selfinvoke", "cfnresource/stackphase", "cfntest", "lifecycle", "physicalid", "response"}

// Each exported function, and each interface that users implement, is used by an
// Example of its package.
func TestEntryPointsHaveExamples(t *testing.T) {
	for _, dir := range public {
		used := usedByExamples(t, dir)
		for _, name := range entryPoints(t, dir) {
			if !used[name] {
				t.Errorf("%s.%s is used by no Example", filepath.Base(dir), name)
			}
		}
	}
}

// entryPoints returns the names of a package's exported functions and interfaces.
func entryPoints(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, file := range parse(t, dir, func(name string) bool { return !isTest(name) }) {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s, ok := spec.(*ast.TypeSpec)
					if !ok || !s.Name.IsExported() {
						continue
					}
					if _, ok := s.Type.(*ast.InterfaceType); ok {
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	if len(names) == 0 {
		t.Errorf("%s exports no functions", dir)
	}
	return names
}

// usedByExamples returns the identifiers of a package that its Examples use or are named after.
func usedByExamples(t *testing.T, dir string) map[string]bool {
	t.Helper()
	used := make(map[string]bool)
	for _, file := range parse(t, dir, func(name string) bool { return isTest(name) && strings.HasPrefix(name, "example") }) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if name, ok := strings.CutPrefix(n.Name.Name, "Example"); ok {
					name, _, _ = strings.Cut(name, "_")
					used[name] = true
				}
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == filepath.Base(dir) {
					used[n.Sel.Name] = true
				}
			}
			return true
		})
	}
	return used
}

// parse parses the Go files of a directory whose names are wanted.
func parse(t *testing.T, dir string, wanted func(name string) bool) (parsed []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || !wanted(e.Name()) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, dir, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	return parsed
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }
