package template

import (
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// extension reports a call of a function that belongs to AWS::LanguageExtensions, unless the
// template asks for that.
func (c *compiler) extension(f call) bool {
	if c.settled == nil {
		c.Errorf(f.at, "%s belongs to AWS::LanguageExtensions; add Transform: %s", f.name, languageExtensions)
	}
	return c.settled != nil
}

// static evaluates at once what AWS::LanguageExtensions allows in place of a literal name.
func (c *compiler) static(n *source.Node, what string) (string, bool) {
	if s, ok := n.Text(); ok || c.settled == nil {
		return s, ok
	}
	before := len(c.Errors)
	e := c.textual(n, what)
	if len(c.Errors) > before {
		return "", false
	}
	s, err := (&evaluation{decisions: c.settled}).text(e, n, what)
	if err != nil {
		c.Add(err)
	}
	return s, err == nil
}

// collection evaluates what a loop goes over, which must be known before any resource exists.
func (c *compiler) collection(n *source.Node) (items []string) {
	before := len(c.Errors)
	e := c.listed(n, "the collection of Fn::ForEach", "[item, item]")
	if len(c.Errors) > before {
		return nil
	}
	ev := &evaluation{decisions: c.settled, owner: source.LoopPrefix} // one for all: a loop in a loop asks again and again
	all, err := ev.list(e, n, "the collection of Fn::ForEach")
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
