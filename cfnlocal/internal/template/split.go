package template

import (
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// split is Fn::Split: a text cut at a delimiter.
type split struct{}

func (split) compile(c *compiler, f call) expr {
	items := c.arguments(f, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	delimiter, ok := c.word(items[0], "the delimiter of Fn::Split", f.example)
	if ok && delimiter == "" {
		c.Errorf(items[0], "the delimiter of Fn::Split must not be empty; write %s", f.example)
	}
	argument := c.textual(items[1], "the second argument of Fn::Split")
	return applied{[]expr{argument}, func(ev *evaluation) (any, error) {
		text, err := ev.text(argument, f.at, "the second argument of Fn::Split")
		if err != nil {
			return nil, err
		}
		texts := strings.Split(text, delimiter)
		if err := ev.spend(len(text)+16*len(texts), f.at); err != nil {
			return nil, err
		}
		out, _ := source.Slice(texts)
		return out, nil
	}}
}
