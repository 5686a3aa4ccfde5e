package rules_test

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

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
