package template

import (
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

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
		of, err := ev.eval(values)
		if err != nil {
			return nil, err
		}
		if members == any(unknown{}) || of == any(unknown{}) {
			return unknown{}, nil
		}
		// The values, and the list to find them in.
		items, ok := source.Slice(members)
		if !ok {
			return nil, ev.fail(f.at, "the first argument of %s must be a list, not %s", f.name, describe(members))
		}
		wanted := []any{of}
		if f.name == "Fn::EachMemberIn" {
			if wanted, ok = source.Slice(of); !ok {
				return nil, ev.fail(f.at, "the second argument of %s must be a list, not %s", f.name, describe(of))
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
