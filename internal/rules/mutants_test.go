package rules_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
)

// A mutant is the package with one thing changed. All are compiled at once, and
// an environment variable says which one runs.
type mutant struct {
	name string // where, and what is changed
	row  string // the statement that changes a table, if it is one
}

// mutator writes the package anew, with every mutant in it.
type mutator struct {
	fset    *token.FileSet
	mutants []mutant
	source  []byte
	base    int // of the file's positions
	fn      string
	edits   []edit
	wrapped map[[2]token.Pos]bool
}

// An edit puts text at a place. At one place what closes comes before what
// opens, and of what closes the inner before the outer.
type edit struct {
	at    int
	order int
	text  string
}

const support = `package rules

import "os"
import "strconv"
import "github.com/cfnresource/sdk-go/lifecycle"

var mutant, _ = strconv.Atoi(os.Getenv("RULES_MUTANT"))

func mutTurn(n int, c bool) bool { return c != (mutant == n) }

func mutLeave[T any](n int, f func() T) (zero T) {
	if mutant == n {
		return zero
	}
	return f()
}

func mutLeave2[A, B any](n int, f func() (A, B)) (a A, b B) {
	if mutant == n {
		return a, b
	}
	return f()
}

func mutOther[T any](n int, a, b T) T {
	if mutant == n {
		return b
	}
	return a
}

var _ = lifecycle.Create

func init() {
	switch mutant {
`

// mutate returns the files of the package as they are to be compiled.
func (m *mutator) mutate(names []string) (map[string][]byte, error) {
	m.fset = token.NewFileSet()
	files := make(map[string][]byte)
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(m.fset, name, source, 0)
		if err != nil {
			return nil, err
		}
		m.source, m.base, m.edits, m.wrapped = source, m.fset.File(file.Pos()).Base(), nil, make(map[[2]token.Pos]bool)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				m.fn = name + ": " + d.Name.Name
				ast.Inspect(d.Body, m.visit)
			case *ast.GenDecl:
				m.tables(name, d)
			}
		}
		files[name] = m.apply()
	}
	rows := support
	for i, x := range m.mutants {
		if x.row != "" {
			rows += fmt.Sprintf("case %d:\n%s\n", i+1, x.row)
		}
	}
	files["mutants.go"] = []byte(rows + "}\n}\n")
	return files, nil
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		m.turn(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			m.turn(n.Cond)
		}
	case *ast.SwitchStmt:
		m.cases(n)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR:
			m.turn(n)
			m.turn(n.X)
			m.turn(n.Y)
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			m.turn(n)
		}
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	case *ast.CallExpr:
		m.call(n)
	}
	return true
}

// cases turns each case of a switch.
func (m *mutator) cases(s *ast.SwitchStmt) {
	if s.Tag != nil {
		m.insert(s.Tag.Pos(), "tag := ")
		m.insert(s.Tag.End(), "; ")
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if s.Tag == nil {
				m.turn(e)
				continue
			}
			n := m.add("case " + m.text(e) + " turned")
			m.wrap(e, fmt.Sprintf("mutTurn(%d, tag == ", n), ")")
		}
	}
}

func (m *mutator) turn(e ast.Expr) {
	at := [2]token.Pos{e.Pos(), e.End()}
	if m.wrapped[at] {
		return
	}
	m.wrapped[at] = true
	m.wrap(e, fmt.Sprintf("mutTurn(%d, ", m.add(m.text(e)+" turned")), ")")
}

// statements leaves out each statement that does something.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch a := s.(type) {
		case *ast.AssignStmt:
			if a.Tok != token.ASSIGN {
				continue
			}
		case *ast.ExprStmt:
		default:
			continue
		}
		m.wrap(s, fmt.Sprintf("if mutant != %d {", m.add(m.text(s)+" left out")), "}")
	}
}

var results = map[string]string{"Find": "(string, Outcome)", "Create": "Outcome", "Update": "Outcome", "Delete": "Outcome", "Phase": "Phase", "Wait": "bool"}

// others are what stands in the place of a word that is passed on.
var others = map[string][]string{
	"Nothing": {"Maybe"}, "Maybe": {"Nothing"}, "Adopted": {"Nothing", "Maybe"}, "Made": {"Nothing", "Maybe", "Adopted"},
	"New": {"Old"}, "Old": {"New"}, "InPlace": {"Changed", "Adopting"}, "Changed": {"InPlace", "Adopting"}, "Adopting": {"InPlace", "Changed"},
	"Lag": {"CreateOver"}, "CreateOver": {"Lag"}, "NextTry": {"NextUndo"}, "NextUndo": {"NextTry"},
	"ordinary": {"lost", "lastResort"}, "lost": {"ordinary", "lastResort"}, "lastResort": {"ordinary", "lost"},
	"true": {"false"}, "false": {"true"},
}

// call leaves an effect out, and passes other words on.
func (m *mutator) call(c *ast.CallExpr) {
	for _, a := range c.Args {
		word, ok := a.(*ast.Ident)
		if !ok {
			continue
		}
		for _, o := range others[word.Name] {
			n := m.add(m.text(c) + " with " + o)
			m.wrap(a, fmt.Sprintf("mutOther(%d, ", n), ", "+o+")")
		}
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || m.text(f.X) != "e.do" {
		return
	}
	leave := "mutLeave"
	if f.Sel.Name == "Find" {
		leave = "mutLeave2"
	}
	m.wrap(c, fmt.Sprintf("%s(%d, func() %s { return ", leave, m.add(m.text(c)+" left out"), results[f.Sel.Name]), "})")
}

// tables exchanges the values of each pair of rows, and takes each row out.
func (m *mutator) tables(file string, d *ast.GenDecl) {
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		lit, ok := v.Values[0].(*ast.CompositeLit)
		if !ok {
			continue
		}
		table, ok := lit.Type.(*ast.MapType)
		if !ok {
			continue
		}
		name := v.Names[0].Name
		m.fn = file + ": " + name
		for i, x := range lit.Elts {
			row := x.(*ast.KeyValueExpr)
			m.add(m.key(table, row) + " taken out")
			m.mutants[len(m.mutants)-1].row = fmt.Sprintf("delete(%s, %s)", name, m.key(table, row))
			for _, y := range lit.Elts[:i] {
				with := y.(*ast.KeyValueExpr)
				if m.text(row.Value) == m.text(with.Value) {
					continue
				}
				a, b := name+"["+m.key(table, row)+"]", name+"["+m.key(table, with)+"]"
				m.add(m.key(table, row) + " exchanged with " + m.key(table, with))
				m.mutants[len(m.mutants)-1].row = fmt.Sprintf("%s, %s = %s, %s", a, b, b, a)
			}
		}
	}
}

func (m *mutator) key(table *ast.MapType, row *ast.KeyValueExpr) string {
	if lit, ok := row.Key.(*ast.CompositeLit); ok && lit.Type == nil {
		return m.text(table.Key) + m.text(row.Key)
	}
	return m.text(row.Key)
}

// add names a mutant and returns its number. What occurs twice is counted.
func (m *mutator) add(what string) int {
	name := m.fn + ": " + what
	for i := 2; slices.ContainsFunc(m.mutants, func(x mutant) bool { return x.name == name }); i++ {
		name = fmt.Sprintf("%s: %s (%d)", m.fn, what, i)
	}
	m.mutants = append(m.mutants, mutant{name: name})
	return len(m.mutants)
}

func (m *mutator) text(n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, m.fset, n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func (m *mutator) insert(at token.Pos, text string) {
	m.edits = append(m.edits, edit{int(at) - m.base, 0, text})
}

func (m *mutator) wrap(n ast.Node, open, shut string) {
	i := len(m.edits) + 1
	m.edits = append(m.edits, edit{int(n.Pos()) - m.base, i, open}, edit{int(n.End()) - m.base, -i, shut})
}

func (m *mutator) apply() []byte {
	slices.SortStableFunc(m.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	var b bytes.Buffer
	last := 0
	for _, e := range m.edits {
		b.Write(m.source[last:e.at])
		b.WriteString(e.text)
		last = e.at
	}
	b.Write(m.source[last:])
	return b.Bytes()
}
