package template

import (
	"iter"
	"maps"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// rule is one entry of Rules: what must hold of the parameters, before anything else is looked at.
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

// unknown is what a function gives that asks the account, which is not here.
type unknown struct{}

func (c *compiler) compileRules(section *source.Node) (all []rule) {
	c.section = inRules
	for _, f := range section.Entries() {
		if f.Value.Kind != source.Object {
			c.Errorf(f.Value, "a rule is an object, and here is %s; write %s: {Assertions: [{Assert: ...}]}", f.Value.Describe(), source.Shorten(f.Name()))
			continue
		}
		for _, entry := range f.Value.Fields {
			if entry.Name() != "RuleCondition" && entry.Name() != "Assertions" {
				c.Warnf(entry.Key, "a rule has no %s: it is ignored; a rule has RuleCondition and Assertions", source.Shorten(entry.Name()))
			}
		}
		r := rule{name: f.Name(), at: f.Key}
		if condition := f.Value.Get("RuleCondition"); condition != nil {
			r.condition = c.boolean(condition)
		}
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
			c.CheckKeys(item, "an assertion", []string{"Assert", "AssertDescription"})
			r.assertions = append(r.assertions, assertion{item, c.boolean(assert), c.Description(item.Get("AssertDescription"))})
		}
		all = append(all, r)
	}
	return all
}

// assert reports the assertions that do not hold, and warns of those that only the account could decide.
func (d *decisions) assert(rules []rule) {
	for _, r := range rules {
		ev := &evaluation{decisions: d, rules: true}
		if r.condition != nil {
			switch v, err := r.condition.eval(ev); {
			case err != nil:
				d.report.Add(err)
				continue
			case v == any(unknown{}):
				d.report.Warnf(r.at, "the rule %s depends on what the account holds, which is not here; it is not checked", source.Shorten(r.name))
				continue
			case v != true:
				continue
			}
		}
		for _, a := range r.assertions {
			switch v, err := a.holds.eval(ev); {
			case err != nil:
				d.report.Add(err)
			case v == any(unknown{}):
				d.report.Warnf(a.at, "this assertion asks what the account holds, which is not here; it is not checked")
			case v != true && a.description != "":
				d.report.Errorf(a.at, "the parameters violate the rule %s: %s", source.Shorten(r.name), source.Shorten(a.description))
			case v != true:
				d.report.Errorf(a.at, "the parameters violate the rule %s; give others", source.Shorten(r.name))
			}
		}
	}
}

// ruleFunction compiles a function that Rules alone have.
func (c *compiler) ruleFunction(name string, at, argument *source.Node) expr {
	switch {
	case c.section != inRules:
		c.Errorf(at, "%s is allowed in Rules only", name)
		return invalidExpr{}
	case name == "Fn::RefAll" || name == "Fn::ValueOf" || name == "Fn::ValueOfAll":
		return c.account(name, argument)
	}
	return c.member(name, at, argument)
}

// member is Fn::Contains, Fn::EachMemberEquals or Fn::EachMemberIn, which rules alone have.
type member struct {
	name string
	at   *source.Node
	list expr
	of   expr
}

func (c *compiler) member(name string, at, argument *source.Node) expr {
	items := c.arguments(name, argument, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	return member{name, at, c.listed(items[0], "the first argument of "+name, functions[name]), c.expr(items[1])}
}

func (m member) eval(ev *evaluation) (any, error) {
	members, err := m.list.eval(ev)
	if err != nil {
		return nil, err
	}
	of, err := m.of.eval(ev)
	if err != nil {
		return nil, err
	}
	if members == any(unknown{}) || of == any(unknown{}) {
		return unknown{}, nil
	}
	items, ok := source.Slice(members)
	if !ok {
		return nil, ev.fail(m.at, "the first argument of %s must be a list, and here is %s", m.name, describe(members))
	}
	wanted := []any{of}
	if m.name == "Fn::EachMemberIn" {
		if wanted, ok = source.Slice(of); !ok {
			return nil, ev.fail(m.at, "the second argument of %s must be a list, and here is %s", m.name, describe(of))
		}
	}
	if err := ev.spend(len(items)*len(wanted), m.at); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, v := range wanted {
		s, ok := source.Text(v)
		if !ok {
			return nil, ev.fail(m.at, "%s compares strings, and here is %s", m.name, describe(v))
		}
		known[s] = true
	}
	found := 0
	for _, v := range items {
		if s, ok := source.Text(v); ok && known[s] {
			found++
		}
	}
	if m.name == "Fn::Contains" {
		return found > 0, nil
	}
	return found == len(items), nil
}

func (m member) parts(map[string]bool) iter.Seq[expr] { return each(m.list, m.of) }

// account is Fn::RefAll, Fn::ValueOf or Fn::ValueOfAll, which look values up in the account.
type account struct{}

func (c *compiler) account(name string, argument *source.Node) expr {
	if name != "Fn::ValueOf" {
		return account{}
	}
	items := c.arguments(name, argument, 2, 2)
	if items == nil {
		return invalidExpr{}
	}
	if id, ok := c.word(items[0], "the parameter of Fn::ValueOf", functions[name]); ok && c.parameters[id] == nil {
		c.Errorf(items[0], "there is no parameter %s%s", source.Shorten(id), source.DidYouMean(id, maps.Keys(c.parameters)))
	}
	return account{}
}

func (account) eval(*evaluation) (any, error)        { return unknown{}, nil }
func (account) parts(map[string]bool) iter.Seq[expr] { return none }
