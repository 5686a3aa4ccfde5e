package template

import (
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// join is Fn::Join: the values of a list with a delimiter between them.
type join struct{}

func (join) compile(c *compiler, f call) expr {
	items := c.arguments(f, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	delimiter, ok := c.word(items[0], "the delimiter of Fn::Join", f.example)
	list := c.listed(items[1], "the second argument of Fn::Join", f.example)
	if l, literal := list.(listExpr); literal {
		for i, n := range items[1].Items {
			if gives := c.gives(n, l.items[i]); gives == aList || gives == anObject {
				c.Errorf(n, "Fn::Join joins strings, and here is %s; write its items one by one", n.Describe())
				ok = false
			}
		}
	}
	if !ok {
		return invalidExpr{}
	}
	return applied{[]expr{list}, func(ev *evaluation) (any, error) {
		values, err := ev.list(list, f.at, "the second argument of Fn::Join")
		if err != nil {
			return nil, err
		}
		texts, size := make([]string, len(values)), 0
		for i, v := range values {
			s, ok := source.Text(v)
			if !ok {
				return nil, ev.fail(f.at, "Fn::Join joins strings, and value %d is %s", i, describe(v))
			}
			texts[i], size = s, size+len(s)+len(delimiter)
		}
		if err := ev.spend(size, f.at); err != nil {
			return nil, err
		}
		return strings.Join(texts, delimiter), nil
	}}
}
