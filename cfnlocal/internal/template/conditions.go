package template

import (
	"maps"
	"reflect"
	"slices"
	"strings"

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
		g.order = append(g.order, f.Name())
		c.budget.walk(condition, nil, func(e expr) {
			if ref, ok := e.(conditionRef); ok {
				g.need(f.Name(), ref.name, ref.at)
			}
		})
	}
	g.reportCycle(c.Report, "conditions")
}

// boolean compiles an expression that must give true or false.
func (c *compiler) boolean(n *source.Node) expr {
	if name, _, ok := c.function(n); ok {
		row, known := intrinsics[name]
		isValue := known && row.gives != aBoolean
		if !isValue || name == "Fn::If" {
			return c.expr(n) // which reports unknown and misplaced functions
		}
	}
	return c.invalid(n, "a condition must be made with Fn::Equals, Fn::And, Fn::Or, Fn::Not or Condition, not %s; write !Equals [value, value] or !Condition Name", n.Describe())
}

// decide evaluates every condition. Conditions that others need come first.
func decide(all map[string]expr, d *decisions) {
	// A condition that depends on an open one is open as well, so the others come first.
	d.conditions, d.open = map[string]bool{}, map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if _, done := d.conditions[name]; done {
			return
		}
		d.budget.walk(all[name], nil, func(e expr) {
			if ref, ok := e.(conditionRef); ok {
				visit(ref.name)
				d.open[name] = d.open[name] || d.open[ref.name]
			}
		})
		if d.stack.Later != nil && (d.open[name] || d.isGuess(all[name])) {
			d.open[name], d.conditions[name] = true, d.stack.otherwise
			return
		}
		v, err := d.early().eval(all[name])
		if err != nil {
			d.report.Add(err)
		}
		d.conditions[name] = v == true
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		visit(name)
	}
}

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

// ifElse is Fn::If: one of two values.
type ifElse struct {
	condition string
	yes, no   expr
}

func (ifElse) compile(c *compiler, f call) expr {
	name, ok := c.conditionName(f.items[0], f.example)
	yes, no := c.expr(f.items[1]), c.expr(f.items[2])
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
		return ev.eval(i.yes)
	}
	return ev.eval(i.no)
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

// logic is Fn::And, Fn::Or, Fn::Not or Fn::Equals.
type logic struct{}

func (logic) compile(c *compiler, f call) expr {
	var operands []expr
	for _, item := range f.items {
		if f.name == "Fn::Equals" {
			operands = append(operands, c.expr(item))
		} else {
			operands = append(operands, c.boolean(item))
		}
	}
	// Every operand is evaluated: one that is unknown may not matter.
	return applied{operands, func(ev *evaluation) (any, error) {
		values := make([]any, len(operands))
		for i, operand := range operands {
			v, err := ev.eval(operand)
			if err != nil {
				return nil, err
			}
			values[i] = v
		}
		return truth(f.name, values), nil
	}}
}

// truth applies a function to the values of its operands.
func truth(function string, values []any) any {
	open := slices.Contains(values, any(unknown{}))
	switch function {
	case "Fn::Equals":
		return decided(equal(values[0], values[1]), open)
	case "Fn::Not":
		return decided(values[0] != true, open)
	case "Fn::And":
		no := slices.ContainsFunc(values, func(v any) bool { return v != true && v != any(unknown{}) })
		if no {
			return false // whatever the unknown operands are
		}
		return decided(true, open)
	}
	if slices.Contains(values, any(true)) {
		return true
	}
	return decided(false, open)
}

// decided is a truth value, unless it depends on an unknown value.
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

// rule is one entry of Rules: assertions about the parameters, which are checked first.
type rule struct {
	name       string
	at         *source.Node
	condition  expr // nil if the rule always applies
	assertions []assertion
}

type assertion struct {
	at          *source.Node
	holds       expr
	description string
}

// unknown is the value of a function that depends on the account, which cfnlocal cannot see.
type unknown struct{}

func (c *compiler) compileRules(section *source.Node) (all []rule) {
	c.section = inRules
	for _, f := range section.Entries() {
		if f.Value.Kind != source.Object {
			c.Errorf(f.Value, "a rule must be an object, not %s; write %s: {Assertions: [{Assert: ...}]}", f.Value.Describe(), source.Shorten(f.Name()))
			continue
		}
		for _, entry := range f.Value.Fields {
			c.warnUnknown(entry, "a rule", "RuleCondition", "Assertions")
		}
		// Its condition.
		r := rule{name: f.Name(), at: f.Key}
		if condition := f.Value.Get("RuleCondition"); condition != nil {
			r.condition = c.boolean(condition)
		}
		// Its assertions.
		assertions := f.Value.Get("Assertions")
		if assertions == nil || assertions.Kind != source.List || len(assertions.Items) == 0 {
			c.Errorf(f.Value, "a rule needs a list of Assertions; write %s: {Assertions: [{Assert: ...}]}", source.Shorten(f.Name()))
			continue
		}
		for _, item := range assertions.Items {
			assert := item.Get("Assert")
			if assert == nil {
				c.Errorf(item, "an assertion needs an Assert; write {Assert: !Contains [[a, b], !Ref Parameter], AssertDescription: text}")
				continue
			}
			for _, entry := range item.Fields {
				c.warnUnknown(entry, "an assertion", "Assert", "AssertDescription")
			}
			r.assertions = append(r.assertions, assertion{item, c.boolean(assert), c.Description(item.Get("AssertDescription"))})
		}
		all = append(all, r)
	}
	return all
}

// warnUnknown warns of a key that AWS ignores in a rule.
func (c *compiler) warnUnknown(entry source.Field, what string, known ...string) {
	if !slices.Contains(known, entry.Name()) {
		c.Warnf(entry.Key, "%s has no %s: it is ignored; %s has %s", what, source.Shorten(entry.Name()), what, strings.Join(known, " and "))
	}
}

// assert reports the assertions that do not hold, and warns of those that depend on the account.
func (d *decisions) assert(rules []rule) {
	for _, r := range rules {
		// A rule whose condition does not hold, or cannot be known, asserts nothing.
		ev := &evaluation{decisions: d, rules: true}
		if r.condition != nil {
			switch v, err := ev.eval(r.condition); {
			case err != nil:
				d.report.Add(err)
				continue
			case v == any(unknown{}):
				d.report.Warnf(r.at, "the rule %s depends on resources of the account, which cfnlocal cannot see; it is not checked", source.Shorten(r.name))
				continue
			case v != true:
				continue
			}
		}
		// Every assertion that fails is reported, and not only the first.
		for _, a := range r.assertions {
			switch v, err := ev.eval(a.holds); {
			case err != nil:
				d.report.Add(err)
			case v == any(unknown{}):
				d.report.Warnf(a.at, "this assertion depends on resources of the account, which cfnlocal cannot see; it is not checked")
			case v != true && a.description != "":
				d.report.Errorf(a.at, "the parameters violate the rule %s: %s", source.Shorten(r.name), source.Shorten(a.description))
			case v != true:
				d.report.Errorf(a.at, "the parameters violate the rule %s; give other values", source.Shorten(r.name))
			}
		}
	}
}

// member is Fn::Contains, Fn::EachMemberEquals or Fn::EachMemberIn, which only rules may use.
type member struct{}

func (member) compile(c *compiler, f call) expr {
	list, values := c.listed(f.items[0], "the first argument of "+f.name, f.example), c.expr(f.items[1])
	return applied{[]expr{list, values}, func(ev *evaluation) (any, error) {
		// Both arguments, one of which may be unknown.
		members, err := ev.eval(list)
		if err != nil {
			return nil, err
		}
		operand, err := ev.eval(values)
		if err != nil {
			return nil, err
		}
		if members == any(unknown{}) || operand == any(unknown{}) {
			return unknown{}, nil
		}
		// The values, and the list to find them in.
		items, ok := source.Slice(members)
		if !ok {
			return nil, ev.fail(f.at, "the first argument of %s must be a list, not %s", f.name, describe(members))
		}
		wanted := []any{operand}
		if f.name == "Fn::EachMemberIn" {
			if wanted, ok = source.Slice(operand); !ok {
				return nil, ev.fail(f.at, "the second argument of %s must be a list, not %s", f.name, describe(operand))
			}
		}
		if err := ev.spend(perStep*(len(items)+len(wanted)), f.at); err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, v := range wanted {
			s, ok := source.Text(v)
			if !ok {
				return nil, ev.fail(f.at, "%s compares strings, not %s", f.name, describe(v))
			}
			known[s] = true
		}
		// Count the values in the list.
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

// account is Fn::RefAll, Fn::ValueOf or Fn::ValueOfAll, which look values up in the account.
type account struct{}

func (account) compile(c *compiler, f call) expr {
	if f.name == "Fn::ValueOf" {
		if id, ok := c.word(f.items[0], "the parameter of Fn::ValueOf", f.example); ok && c.parameters[id] == nil {
			c.Errorf(f.items[0], "there is no parameter %s%s", source.Shorten(id), source.DidYouMean(id, maps.Keys(c.parameters)))
		}
	}
	return applied{nil, func(*evaluation) (any, error) { return unknown{}, nil }}
}
