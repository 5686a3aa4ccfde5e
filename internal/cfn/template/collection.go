package template

import (
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// collection evaluates what a loop goes over, which must be known before any resource exists.
func (c *compiler) collection(n *source.Node) (items []string) {
	before := len(c.Errors)
	e := c.listed(n, "the collection of Fn::ForEach", "[item, item]")
	if len(c.Errors) > before {
		return nil
	}
	all, err := (&evaluation{decisions: c.settled}).list(e, n, "the collection of Fn::ForEach")
	if err != nil {
		c.Add(err)
		return nil
	}
	for _, v := range all {
		s, ok := source.Text(v)
		if !ok {
			c.Errorf(n, "the collection of Fn::ForEach is a list of strings, and here is %s in it", describe(v))
			return nil
		}
		items = append(items, s)
	}
	return items
}
