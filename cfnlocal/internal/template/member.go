package template

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// member is Fn::Contains, Fn::EachMemberEquals or Fn::EachMemberIn, which rules alone have.
type member struct{}

func (member) compile(c *compiler, f call) expr {
	if !c.inRule(f) {
		return invalidExpr{}
	}
	items := c.arguments(f, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	list, values := c.listed(items[0], "the first argument of "+f.name, f.example), c.expr(items[1])
	return applied{[]expr{list, values}, func(ev *evaluation) (any, error) {
		// Both arguments, one of which may be unknown.
		members, err := list.eval(ev)
		if err != nil {
			return nil, err
		}
		of, err := values.eval(ev)
		if err != nil {
			return nil, err
		}
		if members == any(unknown{}) || of == any(unknown{}) {
			return unknown{}, nil
		}
		// What is looked for, and where.
		items, ok := source.Slice(members)
		if !ok {
			return nil, ev.fail(f.at, "the first argument of %s must be a list, and here is %s", f.name, describe(members))
		}
		wanted := []any{of}
		if f.name == "Fn::EachMemberIn" {
			if wanted, ok = source.Slice(of); !ok {
				return nil, ev.fail(f.at, "the second argument of %s must be a list, and here is %s", f.name, describe(of))
			}
		}
		if err := ev.spend(len(items)*len(wanted), f.at); err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, v := range wanted {
			s, ok := source.Text(v)
			if !ok {
				return nil, ev.fail(f.at, "%s compares strings, and here is %s", f.name, describe(v))
			}
			known[s] = true
		}
		// How many are there.
		found := 0
		for _, v := range items {
			if s, ok := source.Text(v); ok && known[s] {
				found++
			}
		}
		if f.name == "Fn::Contains" {
			return found > 0, nil
		}
		return found == len(items), nil
	}}
}
