package rules_test

import (
	"fmt"
	"go/ast"
	"strings"
)

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
