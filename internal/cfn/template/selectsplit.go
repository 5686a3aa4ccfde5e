package template

import (
	"iter"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// selectItem is Fn::Select: one item of a list.
type selectItem struct {
	at           *source.Node
	index, items expr
}

func (c *compiler) selectItem(at, argument *source.Node) expr {
	items := c.arguments("Fn::Select", argument, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	s := selectItem{at, c.textual(items[0], "the index of Fn::Select"), c.listed(items[1], "the second argument of Fn::Select", functions["Fn::Select"])}
	index, literalIndex := s.index.(literal)
	if !literalIndex {
		return s
	}
	word, _ := source.Text(index.value)
	i, err := strconv.Atoi(word)
	l, literalList := s.items.(listExpr)
	switch {
	case err != nil || i < 0:
		c.Errorf(items[0], "the index of Fn::Select is a whole number from 0, and this is none; write %s", functions["Fn::Select"])
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

func (s selectItem) parts(map[string]bool) iter.Seq[expr] { return each(s.index, s.items) }

// split is Fn::Split: a text cut at a delimiter.
type split struct {
	at        *source.Node
	delimiter string
	source    expr
}

func (c *compiler) split(at, argument *source.Node) expr {
	items := c.arguments("Fn::Split", argument, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	delimiter, ok := c.word(items[0], "the delimiter of Fn::Split", functions["Fn::Split"])
	if ok && delimiter == "" {
		c.Errorf(items[0], "the delimiter of Fn::Split must not be empty; write %s", functions["Fn::Split"])
	}
	return split{at, delimiter, c.textual(items[1], "the second argument of Fn::Split")}
}

func (s split) eval(ev *evaluation) (any, error) {
	text, err := ev.text(s.source, s.at, "the second argument of Fn::Split")
	if err != nil {
		return nil, err
	}
	texts := strings.Split(text, s.delimiter)
	if err := ev.spend(len(text)+16*len(texts), s.at); err != nil {
		return nil, err
	}
	out, _ := source.Slice(texts)
	return out, nil
}

func (s split) parts(map[string]bool) iter.Seq[expr] { return each(s.source) }
