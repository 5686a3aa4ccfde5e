package template

import (
	"maps"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// ifElse is Fn::If: one of two values.
type ifElse struct {
	condition string
	yes, no   expr
}

func (ifElse) compile(c *compiler, f call) expr {
	items := c.arguments(f, 3, 3)
	if items == nil {
		return invalidExpr{}
	}
	name, ok := c.conditionName(items[0], f.example)
	yes, no := c.expr(items[1]), c.expr(items[2])
	if c.section.early() {
		c.Checkf(f.at, "Fn::If gives values, not conditions; among %s write Fn::And, Fn::Or, Fn::Not and Fn::Equals", strings.ToLower(c.section.String()))
	}
	if !ok {
		return invalidExpr{}
	}
	return ifElse{name, yes, no}
}

// conditionName is the name of a condition that exists.
func (c *compiler) conditionName(n *source.Node, example string) (string, bool) {
	name, ok := c.word(n, "the name of a condition", example)
	if !ok || len(c.Errors) > maxErrors {
		return "", false
	}
	if c.conditions[name] == nil {
		c.Errorf(n, "there is no condition %s%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(c.conditions)))
		return "", false
	}
	return name, true
}

func (i ifElse) eval(ev *evaluation) (any, error) {
	if ev.conditions[i.condition] {
		return i.yes.eval(ev)
	}
	return i.no.eval(ev)
}

func (i ifElse) parts(conditions map[string]bool) []expr {
	switch holds, decided := conditions[i.condition]; {
	case !decided:
		return []expr{i.yes, i.no}
	case holds:
		return []expr{i.yes}
	}
	return []expr{i.no}
}
