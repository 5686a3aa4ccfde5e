package template

import (
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// declareConditions takes the names, so that conditions can refer to each other in any order.
func declareConditions(section *source.Node, r *source.Report) map[string]expr {
	all := map[string]expr{}
	for _, f := range r.Fields(section) {
		all[f.Name()] = invalidExpr{}
	}
	return all
}

// compileConditions compiles all conditions and reports circles among them.
func (c *compiler) compileConditions(section *source.Node) {
	c.section = inConditions
	g := new(dependencyGraph)
	for _, f := range section.Entries() {
		condition := c.boolean(f.Value)
		c.conditions[f.Name()] = condition
		g.add(f.Name())
		walk(condition, nil, func(e expr) {
			if ref, ok := e.(conditionRef); ok {
				g.need(f.Name(), ref.name, ref.at)
			}
		})
	}
	g.reportCycle(c.Report, "conditions")
}

// boolean compiles what gives true or false.
func (c *compiler) boolean(n *source.Node) expr {
	if name, _, ok := c.function(n); ok {
		if row, known := intrinsics[name]; !known || row.gives == aBoolean || name == "Fn::If" {
			return c.expr(n) // which reports what is not known, and what belongs elsewhere
		}
	}
	c.Errorf(n, "a condition is made with Fn::Equals, Fn::And, Fn::Or, Fn::Not or Condition, and here is %s; write !Equals [value, value] or !Condition Name", n.Describe())
	return invalidExpr{}
}

// decide evaluates every condition, those that others need first.
func decide(all map[string]expr, d *decisions) {
	d.conditions = map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if _, done := d.conditions[name]; done {
			return
		}
		walk(all[name], nil, func(e expr) {
			if ref, ok := e.(conditionRef); ok {
				visit(ref.name)
			}
		})
		v, err := all[name].eval(&evaluation{decisions: d})
		if err != nil {
			d.report.Add(err)
		}
		d.conditions[name] = v == true
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		visit(name)
	}
}
