package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxLines is how many lines a package may have without its tests: more is not read in one sitting.
const maxLines = 4000

// wide are the packages that have more.
var wide = []string{
	"internal/cfn/engine", // one machine, whose parts know each other
}

func TestPackagesAreReadInOneSitting(t *testing.T) {
	lines := make(map[string]int)
	for name, text := range code(t) {
		lines[path.Dir(name)] += strings.Count(text, "\n")
	}
	for _, dir := range slices.Sorted(maps.Keys(lines)) {
		if lines[dir] > maxLines && !slices.Contains(wide, dir) {
			t.Errorf("%s has %d lines, and a package has %d at the most: which idea in it is one that somebody would look for?", dir, lines[dir], maxLines)
		}
	}
	if lines["cfnresource"] == 0 {
		t.Error("no code was found")
	}
}

// What is left of earlier, which may only become less.
const (
	longBodies = 7 // of more than 40 lines, without a comment inside
	unkeyed    = 5 // literals of five or more fields that do not name them
)

// A long body has waypoints, and a long literal names its fields. Tables do not.
func TestLongBodiesAndLiterals(t *testing.T) {
	var bodies, literals []string
	fset := token.NewFileSet()
	for name, text := range code(t) {
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil && isLong(fset, n.Body) && !hasComment(file, n.Body) {
					bodies = append(bodies, fset.Position(n.Pos()).String()+" "+n.Name.Name)
				}
			case *ast.CompositeLit:
				if len(n.Elts) >= 5 && isUnkeyed(n) {
					literals = append(literals, fset.Position(n.Pos()).String())
				}
			}
			return true
		})
	}
	slices.Sort(bodies)
	slices.Sort(literals)
	if len(bodies) > longBodies {
		t.Errorf("%d bodies of more than 40 lines have no comment inside, and %d may: put one before each part of the new one:\n%s", len(bodies), longBodies, strings.Join(bodies, "\n"))
	}
	if len(literals) > unkeyed {
		t.Errorf("%d literals of five or more fields do not name them, and %d may:\n%s", len(literals), unkeyed, strings.Join(literals, "\n"))
	}
}

func isLong(fset *token.FileSet, body *ast.BlockStmt) bool {
	return fset.Position(body.Rbrace).Line-fset.Position(body.Lbrace).Line > 41
}

func hasComment(file *ast.File, body *ast.BlockStmt) bool {
	return slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool { return body.Lbrace < c.Pos() && c.Pos() < body.Rbrace })
}

// isUnkeyed reports whether a literal is of a struct and does not name its fields. The
// rows of a table have no type of their own.
func isUnkeyed(lit *ast.CompositeLit) bool {
	switch lit.Type.(type) {
	case nil, *ast.ArrayType, *ast.MapType:
		return false
	}
	_, keyed := lit.Elts[0].(*ast.KeyValueExpr)
	return !keyed
}

// code returns the Go files that are no tests.
func code(t *testing.T) map[string]string {
	t.Helper()
	all := files(t, ".go")
	maps.DeleteFunc(all, func(name, _ string) bool { return isTest(name) })
	return all
}
