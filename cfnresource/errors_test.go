package cfnresource_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A code that the table lacks would be refused by package registrytest.
func TestEveryCodeIsKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				code, err := strconv.Unquote(value.Value)
				if count++; err != nil || !cfnresource.Code(code).Known() {
					t.Errorf("%s = %s is not in the table: %v", spec.Names[0], value.Value, err)
				}
			}
		}
		return true
	})
	if count == 0 {
		t.Error("errors.go has no codes")
	}
	for _, code := range []cfnresource.Code{"", "notfound", "Surprise"} {
		if code.Known() || code.Transient() {
			t.Errorf("%q is known", code)
		}
	}
}
