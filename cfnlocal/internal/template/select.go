package template

import (
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// selectItem is Fn::Select: one item of a list.
type selectItem struct{}

func (selectItem) compile(c *compiler, f call) expr {
	arguments := c.arguments(f, 2, 2)
	if arguments == nil {
		return invalidExpr{}
	}
	index, list := c.textual(arguments[0], "the index of Fn::Select"), c.listed(arguments[1], "the second argument of Fn::Select", f.example)
	if written, ok := index.(literal); ok {
		word, _ := source.Text(written.value)
		i, err := strconv.Atoi(word)
		l, literalList := list.(listExpr)
		switch {
		case err != nil || i < 0:
			c.Errorf(arguments[0], "the index of Fn::Select is a whole number from 0, and this is none; write %s", f.example)
		case literalList && i >= len(l.items):
			c.Errorf(arguments[0], "Fn::Select takes item %d, and the list has %d; the first item is 0, so write an index below %d", i, len(l.items), len(l.items))
		}
	}
	return applied{[]expr{index, list}, func(ev *evaluation) (any, error) {
		word, err := ev.text(index, f.at, "the index of Fn::Select")
		if err != nil {
			return nil, err
		}
		items, err := ev.list(list, f.at, "the second argument of Fn::Select")
		if err != nil {
			return nil, err
		}
		i, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || i < 0 {
			return nil, ev.fail(f.at, "the index of Fn::Select is a whole number from 0, and this is none")
		}
		if i >= len(items) {
			return nil, ev.fail(f.at, "Fn::Select takes item %d, and the list has %d; the first item is 0%s", i, len(items), ev.madeUp(list))
		}
		return items[i], nil
	}}
}
