package template

import (
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// split is Fn::Split: a text cut at a delimiter.
type split struct {
	at        *source.Node
	delimiter string
	source    expr
}

func (split) compile(c *compiler, f call) expr {
	items := c.arguments(f, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	delimiter, ok := c.word(items[0], "the delimiter of Fn::Split", f.example)
	if ok && delimiter == "" {
		c.Errorf(items[0], "the delimiter of Fn::Split must not be empty; write %s", f.example)
	}
	return split{f.at, delimiter, c.textual(items[1], "the second argument of Fn::Split")}
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

func (s split) parts(map[string]bool) []expr { return []expr{s.source} }
