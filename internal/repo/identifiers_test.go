package repo

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"testing"
)

var quotedIdentifier = regexp.MustCompile("`(cfnresource|stackphase|selfinvoke|cfntest|lifecycle|physicalid|response|Options)\\.([A-Z]\\w*)")

// The identifiers that the documents name exist and are exported.
func TestNamedIdentifiersExist(t *testing.T) {
	known := make(map[string]bool)
	for _, dir := range public {
		for _, file := range parse(t, dir, func(name string) bool { return !isTest(name) }) {
			for _, decl := range file.Decls {
				for _, name := range declaredBy(decl) {
					known[filepath.Base(dir)+"."+name] = true
				}
			}
		}
	}
	for _, field := range fieldsOf(t, "cfnresource", "Options") {
		known["Options."+field] = true
	}
	names := 0
	for _, d := range documents(t) {
		for _, m := range quotedIdentifier.FindAllStringSubmatch(d.text, -1) {
			if names++; !known[m[1]+"."+m[2]] {
				t.Errorf("%s names %s.%s, which is not there", d.path, m[1], m[2])
			}
		}
	}
	if names == 0 {
		t.Error("no names were found: is the pattern right?")
	}
}

// declaredBy returns the names that a declaration declares, without methods.
func declaredBy(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// fieldsOf returns the names of a struct's fields.
func fieldsOf(t *testing.T, dir, typeName string) (names []string) {
	t.Helper()
	for _, file := range parse(t, dir, func(name string) bool { return !isTest(name) }) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != typeName {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						names = append(names, name.Name)
					}
				}
			}
			return false
		})
	}
	return names
}
