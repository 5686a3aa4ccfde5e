package template

import (
	"iter"
	"reflect"
)

// logic is Fn::And, Fn::Or, Fn::Not or Fn::Equals.
type logic struct {
	name     string
	at       *node
	operands []expr
}

func (c *compiler) logic(name string, at, argument *node) expr {
	if c.section != inConditions {
		c.errorf(at, "%s is allowed among conditions only; give the condition a name under Conditions and write !If [ConditionName, value if true, value if false]", name)
		return broken{}
	}
	least, most := 2, 10 // "the minimum number of conditions is 2, and the maximum is 10"
	switch name {
	case "Fn::Not":
		least, most = 1, 1
	case "Fn::Equals":
		least, most = 2, 2
	}
	items := c.arguments(name, argument, least, most)
	if items == nil {
		return broken{}
	}
	l := logic{name: name, at: at}
	for _, item := range items {
		if name == "Fn::Equals" {
			l.operands = append(l.operands, c.expr(item))
		} else {
			l.operands = append(l.operands, c.boolean(item))
		}
	}
	return l
}

func (l logic) eval(ev *evaluation) (any, error) {
	values := make([]any, len(l.operands))
	for i, operand := range l.operands {
		v, err := operand.eval(ev)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	switch l.name {
	case "Fn::Equals":
		return equal(values[0], values[1]), nil
	case "Fn::Not":
		return values[0] != true, nil
	case "Fn::And":
		for _, v := range values {
			if v != true {
				return false, nil
			}
		}
		return true, nil
	}
	for _, v := range values {
		if v == true {
			return true, nil
		}
	}
	return false, nil
}

// equal compares as CloudFormation does: scalars by their text, so that true equals "true".
func equal(a, b any) bool {
	s, scalarA := text(a)
	t, scalarB := text(b)
	if scalarA && scalarB {
		return s == t
	}
	return reflect.DeepEqual(a, b)
}

func (l logic) parts(map[string]bool) iter.Seq[expr] { return each(l.operands...) }
