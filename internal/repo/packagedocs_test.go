package repo

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The documentation of each public package begins with a complete program that
// compiles, or a complete test in the case of cfntest. The packages in quotedPrograms
// are checked by the test below.
func TestPackageDocumentationBeginsWithAProgram(t *testing.T) {
	for _, dir := range append([]string{"registry"}, public...) {
		if _, ok := quotedPrograms[dir]; ok {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			from, err := exports()
			if dir == "registry" { // a module of its own
				from, err = importerOf(filepath.Join(root, dir), "-export", "-deps", ".", "github.com/aws/aws-lambda-go/lambda")
			}
			if err != nil {
				t.Fatal(err)
			}
			fset, code := token.NewFileSet(), firstCode(t, dir)
			file, err := parser.ParseFile(fset, "main.go", code, parser.SkipObjectResolution)
			if err == nil {
				_, err = (&types.Config{Importer: from}).Check("main", fset, []*ast.File{file}, nil)
			}
			if err != nil || file.Name.Name != "main" && !strings.Contains(code, "\nfunc Test") {
				t.Errorf("%v: this is no complete program:\n%s", err, code)
			}
		})
	}
}

// quotedPrograms has the tested program that a package's documentation quotes, wholly or in part.
var quotedPrograms = map[string]string{
	"cfnresource":            "internal/repo/programs/folder/main.go",
	"cfnresource/stackphase": "internal/repo/programs/archive/main.go",
	"cfnresource/selfinvoke": "internal/repo/programs/export/main.go",
}

func TestPackageDocumentationQuotesWhatIsTested(t *testing.T) {
	for dir, program := range quotedPrograms {
		_, whole, _ := strings.Cut(read(t, program), "\npackage main\n")
		code := firstCode(t, dir)
		if rest, ok := strings.CutPrefix(code, "package main\n"); ok {
			if diff := cmp.Diff(whole, rest); diff != "" {
				t.Errorf("the documentation of %s differs from %s (-program +documentation):\n%s", dir, program, diff)
			}
			continue
		}
		for _, code := range codeBlocks(t, dir) {
			functions, ok := strings.CutPrefix(strings.TrimSpace(code), "func ")
			for part := range strings.SplitSeq(functions, "\n\nfunc ") {
				if ok && !strings.Contains(whole, "func "+part) {
					t.Errorf("the documentation of %s has what is not in %s:\nfunc %s", dir, program, part)
				}
			}
		}
	}
}

// firstCode returns the first block of code in a package's documentation.
func firstCode(t *testing.T, dir string) string {
	t.Helper()
	all := codeBlocks(t, dir)
	if len(all) == 0 {
		t.Fatalf("the documentation of %s has no code", dir)
	}
	return all[0]
}

func codeBlocks(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, file := range parse(t, dir, func(name string) bool { return !isTest(name) }) {
		if file.Doc == nil {
			continue
		}
		for _, block := range new(doc.Package).Parser().Parse(file.Doc.Text()).Content {
			if code, ok := block.(*comment.Code); ok {
				all = append(all, code.Text)
			}
		}
	}
	return all
}
