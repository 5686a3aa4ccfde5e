package template

import (
	"maps"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// account is Fn::RefAll, Fn::ValueOf or Fn::ValueOfAll, which look values up in the account.
type account struct{}

func (account) compile(c *compiler, f call) expr {
	if !c.inRule(f) {
		return invalidExpr{}
	}
	if f.name == "Fn::ValueOf" {
		items := c.arguments(f, 2, 2)
		if items == nil {
			return invalidExpr{}
		}
		if id, ok := c.word(items[0], "the parameter of Fn::ValueOf", f.example); ok && c.parameters[id] == nil {
			c.Errorf(items[0], "there is no parameter %s%s", source.Shorten(id), source.DidYouMean(id, maps.Keys(c.parameters)))
		}
	}
	return applied{nil, func(*evaluation) (any, error) { return unknown{}, nil }}
}
