package template

import (
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// selectItem is Fn::Select: one item of a list.
type selectItem struct {
	at           *source.Node
	index, items expr
}

func (selectItem) compile(c *compiler, f call) expr {
	items := c.arguments(f, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	s := selectItem{f.at, c.textual(items[0], "the index of Fn::Select"), c.listed(items[1], "the second argument of Fn::Select", f.example)}
	index, literalIndex := s.index.(literal)
	if !literalIndex {
		return s
	}
	word, _ := source.Text(index.value)
	i, err := strconv.Atoi(word)
	l, literalList := s.items.(listExpr)
	switch {
	case err != nil || i < 0:
		c.Errorf(items[0], "the index of Fn::Select is a whole number from 0, and this is none; write %s", f.example)
	case literalList && i >= len(l.items):
		c.Errorf(items[0], "Fn::Select takes item %d, and the list has %d; the first item is 0, so write an index below %d", i, len(l.items), len(l.items))
	}
	return s
}

func (s selectItem) eval(ev *evaluation) (any, error) {
	word, err := ev.text(s.index, s.at, "the index of Fn::Select")
	if err != nil {
		return nil, err
	}
	items, err := ev.list(s.items, s.at, "the second argument of Fn::Select")
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || i < 0 {
		return nil, ev.fail(s.at, "the index of Fn::Select is a whole number from 0, and this is none")
	}
	if i >= len(items) {
		return nil, ev.fail(s.at, "Fn::Select takes item %d, and the list has %d; the first item is 0%s", i, len(items), ev.madeUp(s.items))
	}
	return items[i], nil
}

func (s selectItem) parts(map[string]bool) []expr { return []expr{s.index, s.items} }
