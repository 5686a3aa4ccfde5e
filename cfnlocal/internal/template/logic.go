package template

import (
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// logic is Fn::And, Fn::Or, Fn::Not or Fn::Equals.
type logic struct{}

func (logic) compile(c *compiler, f call) expr {
	if !c.section.early() {
		c.Errorf(f.at, "%s is allowed among conditions only; give the condition a name under Conditions and write %s", f.name, intrinsics["Fn::If"].example)
		return invalidExpr{}
	}
	least, most := 2, 10 // "the minimum number of conditions is 2, and the maximum is 10"
	switch f.name {
	case "Fn::Not":
		least, most = 1, 1
	case "Fn::Equals":
		least, most = 2, 2
	}
	items := c.arguments(f, least, most)
	if items == nil {
		return invalidExpr{}
	}
	var operands []expr
	for _, item := range items {
		if f.name == "Fn::Equals" {
			operands = append(operands, c.expr(item))
		} else {
			operands = append(operands, c.boolean(item))
		}
	}
	return applied{operands, func(ev *evaluation) (any, error) {
		values := make([]any, len(operands))
		for i, operand := range operands {
			v, err := operand.eval(ev)
			if err != nil {
				return nil, err
			}
			values[i] = v
		}
		return truth(f.name, values), nil
	}}
}

// truth is what a function makes of the values of its operands.
func truth(function string, values []any) any {
	open := slices.Contains(values, any(unknown{}))
	switch function {
	case "Fn::Equals":
		return decided(equal(values[0], values[1]), open)
	case "Fn::Not":
		return decided(values[0] != true, open)
	case "Fn::And":
		no := slices.ContainsFunc(values, func(v any) bool { return v != true && v != any(unknown{}) })
		return decided(!no, open && !no)
	}
	yes := slices.Contains(values, any(true))
	return decided(yes, open && !yes)
}

// decided is a truth value, unless it hangs on something that is not known.
func decided(v, open bool) any {
	if open {
		return unknown{}
	}
	return v
}

// equal compares as CloudFormation does: scalars by their text, so that true equals "true".
func equal(a, b any) bool {
	s, scalarA := source.Text(a)
	t, scalarB := source.Text(b)
	if scalarA && scalarB {
		return s == t
	}
	return reflect.DeepEqual(a, b)
}
