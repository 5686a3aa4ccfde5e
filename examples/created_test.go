package examples

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Who forgets Created, or calls it when all is done, is told by the tests that an example
// comes with.
func TestAMissingOrLateCreatedIsFound(t *testing.T) {
	testrun.OnlyThorough(t, "compiling the examples in two other ways takes a minute")
	for _, c := range []struct {
		dir, file, run, env string
		late, missing       []string // the tests that fail, some of them; no late where nothing comes behind it
	}{
		{
			dir: "monitor", file: "monitor.go", run: "^(TestContract|TestExplore)$",
			late:    []string{"TestContract/replace-never-ready-nothing-left", "TestContract/replace-refused-nothing-left", "TestExplore"},
			missing: []string{"TestContract/create-delete", "TestExplore"},
		}, {
			dir: "certificate", file: "request.go", run: "^(TestRequest|TestExplore)$",
			late:    []string{"TestRequest/replace-never-ready-nothing-left", "TestExplore"},
			missing: []string{"TestRequest/create-delete", "TestExplore"},
		}, {
			dir: "webhook", file: "webhook.go", run: "^(TestContract|TestExplore)$",
			missing: []string{"TestContract/create-delete", "TestExplore"},
		}, {
			dir: "database", file: "database.go", run: "^TestDatabase$/^(create-delete|replace-.*)$", env: "DATABASE_TEST_DSN",
			late:    []string{"TestDatabase/replace-failed-nothing-left"},
			missing: []string{"TestDatabase/create-delete"},
		},
	} {
		t.Run(c.dir, func(t *testing.T) {
			if c.env != "" && os.Getenv(c.env) == "" {
				t.Skipf("%s is not set: see .ci/with-postgres", c.env)
			}
			for how, want := range map[string][]string{"late": c.late, "missing": c.missing} {
				if want == nil {
					continue
				}
				binary := testBinary(t, c.dir, map[string]string{c.file: withoutCreated(t, filepath.Join(c.dir, c.file), how == "late")})
				run := exec.Command(binary, "-test.run="+c.run)
				run.Dir = c.dir
				out, _ := run.CombinedOutput() // it fails
				var failed []string
				for _, f := range failedTests.FindAllSubmatch(out, -1) {
					failed = append(failed, string(f[1]))
				}
				t.Logf("%s: %q", how, failed)
				for _, name := range want {
					if !slices.Contains(failed, name) {
						t.Errorf("with a %s Created, %s does not fail:\n%.3000s", how, name, out)
					}
				}
			}
		})
	}
}

var failedTests = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// withoutCreated returns a file whose Create does not call Created, or late: when it
// returns without an error.
func withoutCreated(t *testing.T, file string, late bool) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, d := range f.Decls {
		create, ok := d.(*ast.FuncDecl)
		if !ok || create.Name.Name != "Create" || create.Recv == nil {
			continue
		}
		for i, s := range create.Body.List {
			call := createdCall(s)
			if call == nil {
				continue
			}
			changed++
			create.Body.List[i] = &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("_")}, Tok: token.ASSIGN, Rhs: call.Args, TokPos: s.Pos()}
			if late {
				create.Type.Results.List[0].Names, create.Type.Results.List[1].Names = []*ast.Ident{ast.NewIdent("_")}, []*ast.Ident{ast.NewIdent("lateErr")}
				create.Body.List[i] = whenAllIsDone(t, call)
			}
		}
	}
	if changed != 1 {
		t.Fatalf("%s calls Created %d times in the body of a Create, want once", file, changed)
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, f); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// createdCall returns the call of a statement that is req.Created(…), or nil.
func createdCall(s ast.Stmt) *ast.CallExpr {
	x, _ := s.(*ast.ExprStmt)
	if x == nil {
		return nil
	}
	call, _ := x.X.(*ast.CallExpr)
	if call == nil {
		return nil
	}
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Created" {
		return nil
	}
	return call
}

// whenAllIsDone returns a statement that has Created called when the method returns
// without an error.
func whenAllIsDone(t *testing.T, call *ast.CallExpr) ast.Stmt {
	t.Helper()
	f, err := parser.ParseExpr(`func(id string) { if lateErr == nil { req.Created(id) } }`)
	if err != nil {
		t.Fatal(err)
	}
	return &ast.DeferStmt{Call: &ast.CallExpr{Fun: f, Args: call.Args}}
}
