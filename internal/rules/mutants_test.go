package rules_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A mutant is the package with one thing changed. All are compiled at once, and
// one at a time runs: see testdata/mutants.go.
type mutant struct {
	name  string // where, and what is changed
	table string // that is changed, or ""
	row   string // the statement that does it
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
	names   []string // of the tables
}

// mutate returns the files of the package as they are to be compiled.
func (m *mutator) mutate(names []string) (map[string][]byte, error) {
	m.fset = token.NewFileSet()
	sources := make(map[string][]byte)
	var parsed []*ast.File
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(m.fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		sources[name], parsed = source, append(parsed, file)
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				m.tables(name, d)
			}
		}
	}
	files := make(map[string][]byte)
	for i, file := range parsed {
		name := names[i]
		m.source, m.base, m.edits, m.wrapped = sources[name], m.fset.File(file.Pos()).Base(), nil, make(map[[2]token.Pos]bool)
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				m.fn = name + ": " + d.Name.Name
				ast.Inspect(d.Body, m.visit)
			}
		}
		files[name] = m.apply()
	}
	files["rows.go"] = m.rows()
	var err error
	files["mutants.go"], err = os.ReadFile("testdata/mutants.go")
	return files, err
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
	case *ast.IndexExpr:
		if x, ok := n.X.(*ast.Ident); ok && slices.Contains(m.names, x.Name) {
			m.wrap(x, fmt.Sprintf("mutTable(%q, ", x.Name), ")")
		}
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
		m.wrap(s, fmt.Sprintf("if !is(%d) {", m.add(m.text(s)+" left out")), "}")
	}
}

var results = map[string]string{"Find": "(string, Outcome)", "Create": "Outcome", "Update": "Outcome", "Delete": "Outcome", "Phase": "Phase", "PhaseNow": "Phase", "Wait": "bool", "Continue": "Outcome"}

// others are what stands in the place of a word that is passed on.
var others = map[string][]string{
	"Nothing": {"Maybe"}, "Maybe": {"Nothing"}, "Adopted": {"Nothing", "Maybe"}, "Made": {"Nothing", "Maybe", "Adopted"},
	"New": {"Old"}, "Old": {"New"}, "InPlace": {"Changed", "Adopting"}, "Changed": {"InPlace", "Adopting"}, "Adopting": {"InPlace", "Changed"},
	"Lag": {"CreateOver"}, "CreateOver": {"Lag"}, "NextTry": {"NextUndo"}, "NextUndo": {"NextTry"}, "NextAnswer": {"NextTry"}, "OtherAnswers": {"NextAnswer"},
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
	if !ok || m.text(f.X) != "e.effects" {
		return
	}
	leave := "mutLeave"
	if f.Sel.Name == "Find" {
		leave = "mutLeave2"
	}
	m.wrap(c, fmt.Sprintf("%s(%d, func() %s { return ", leave, m.add(m.text(c)+" left out"), results[f.Sel.Name]), "})")
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

// mutants are compiled into the rules by TestMutations.
type mutants interface {
	Each(found func() bool)
	Met() bool
}

var most = flag.Int("most", 0, "how many ways of each fact to walk with a mutant, 0 for all")

// TestMutants tries the mutants that it is told to.
func TestMutants(t *testing.T) {
	f := flag.Lookup("mutants")
	if f == nil {
		t.Skip("there are none in these rules: TestMutations compiles them in")
	}
	m := f.Value.(mutants)
	facts := everyFact()
	if *most == 0 {
		facts = slices.DeleteFunc(facts, alike)
	}
	m.Each(func() bool {
		if phaseOf() != "" || stale() != "" || manyAreFound() != "" {
			return true
		}
		_, broken := walk(facts, *most, m.Met)
		return broken != ""
	})
}

// alike reports whether other facts lead the same ways, but for the first questions and answers,
// which a few ways of each show: nearly all of the time would go into them.
func alike(f given) bool {
	return f.Problems != (rules.Problems{}) || f.Refused.End != rules.Done || f.Late && f.ID != "" ||
		f.Type == lifecycle.Update && f.ID == generated // as theirs
}

// An edit puts text at a place. At one place what closes comes before what
// opens, and of what closes the inner before the outer.
type edit struct {
	at    int
	order int
	text  string
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

// rows returns the source of mutateRow, which changes the tables as one mutant
// wants it and returns the name of the table, or "".
func (m *mutator) rows() []byte {
	var b strings.Builder
	b.WriteString("package rules\n\nimport \"maps\"\nimport \"github.com/cfnresource/sdk-go/lifecycle\"\n\nvar _ = lifecycle.Create\n\nvar (\n")
	for _, name := range m.names {
		fmt.Fprintf(&b, "%[1]sAsWritten = maps.Clone(%[1]s)\n", name)
	}
	b.WriteString(")\n\nfunc mutateRow(n int) string {\n")
	for _, name := range m.names {
		fmt.Fprintf(&b, "%[1]s = maps.Clone(%[1]sAsWritten)\n", name)
	}
	b.WriteString("switch n {\n")
	for i, x := range m.mutants {
		if x.row != "" {
			fmt.Fprintf(&b, "case %d:\n%s\nreturn %q\n", i+1, x.row, x.table)
		}
	}
	b.WriteString("}\nreturn \"\"\n}\n")
	return []byte(b.String())
}

func mapLiteral(x ast.Expr) (*ast.CompositeLit, *ast.MapType) {
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil, nil
	}
	table, _ := lit.Type.(*ast.MapType)
	return lit, table
}

// tables exchanges the values of each pair of rows, and takes each row out.
func (m *mutator) tables(file string, d *ast.GenDecl) {
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		lit, table := mapLiteral(v.Values[0])
		if table == nil {
			continue
		}
		name := v.Names[0].Name
		m.names = append(m.names, name)
		m.fn = file + ": " + name
		for i, x := range lit.Elts {
			row := x.(*ast.KeyValueExpr)
			m.add(m.key(table, row) + " taken out")
			m.change(name, fmt.Sprintf("delete(%s, %s)", name, m.key(table, row)))
			for _, y := range lit.Elts[:i] {
				with := y.(*ast.KeyValueExpr)
				if m.text(row.Value) == m.text(with.Value) {
					continue
				}
				a, b := name+"["+m.key(table, row)+"]", name+"["+m.key(table, with)+"]"
				m.add(m.key(table, row) + " exchanged with " + m.key(table, with))
				m.change(name, fmt.Sprintf("%s, %s = %s, %s", a, b, b, a))
			}
		}
	}
}

// change makes the mutant that was added last one of a table.
func (m *mutator) change(table, row string) {
	x := &m.mutants[len(m.mutants)-1]
	x.table, x.row = table, row
}

func (m *mutator) key(table *ast.MapType, row *ast.KeyValueExpr) string {
	if lit, ok := row.Key.(*ast.CompositeLit); ok && lit.Type == nil {
		return m.text(table.Key) + m.text(row.Key)
	}
	return m.text(row.Key)
}
