package template

import (
	"encoding/json"
	"strconv"
)

// length is Fn::Length: how many items a list has.
type length struct{}

func (length) compile(c *compiler, f call) expr {
	if !c.extension(f) {
		return invalidExpr{}
	}
	list := c.listed(f.argument, "the argument of Fn::Length", f.example)
	return applied{[]expr{list}, func(ev *evaluation) (any, error) {
		items, err := ev.list(list, f.at, "the argument of Fn::Length")
		if err != nil {
			return nil, err
		}
		return json.Number(strconv.Itoa(len(items))), nil
	}}
}
