package template

import (
	"encoding/json"
	"strconv"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// length is Fn::Length: how many items a list has.
type length struct {
	at   *source.Node
	list expr
}

func (length) compile(c *compiler, f call) expr {
	if !c.extension(f) {
		return invalidExpr{}
	}
	return length{f.at, c.listed(f.argument, "the argument of Fn::Length", f.example)}
}

func (l length) eval(ev *evaluation) (any, error) {
	items, err := ev.list(l.list, l.at, "the argument of Fn::Length")
	if err != nil {
		return nil, err
	}
	return json.Number(strconv.Itoa(len(items))), nil
}

func (l length) parts(map[string]bool) []expr { return []expr{l.list} }
