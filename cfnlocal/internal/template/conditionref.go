package template

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// conditionRef is Condition: another condition's value. Elsewhere than among conditions it is an
// ordinary key.
type conditionRef struct {
	at   *source.Node
	name string
}

func (conditionRef) compile(c *compiler, f call) expr {
	name, ok := c.conditionName(f.argument, f.example)
	if !ok {
		return invalidExpr{}
	}
	return conditionRef{f.at, name}
}

func (r conditionRef) eval(ev *evaluation) (any, error) { return ev.conditions[r.name], nil }
func (conditionRef) parts(map[string]bool) []expr       { return nil }
