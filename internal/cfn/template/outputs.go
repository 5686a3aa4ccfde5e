package template

import "strings"

// output is one entry of Outputs.
type output struct {
	name, description string
	key, at           *node
	condition         string
	value             expr
	export            expr // nil if it is not exported
}

func (c *compiler) compileOutputs(section *node) []*output {
	c.section = inOutputs
	fields := fieldsOf(section, c.report)
	if len(fields) > maxOutputs {
		c.errorf(section, "a template has at most %d outputs, and this one has %d", maxOutputs, len(fields))
	}
	var all []*output
	for _, f := range fields {
		checkName(f.key, "an output", c.report)
		if strings.HasPrefix(f.name(), "Fn::") {
			continue
		}
		if f.value.kind != object || f.value.get("Value") == nil {
			c.errorf(f.value, "an output needs a Value; write %s: {Value: !Ref LogicalID}", shorten(f.name()))
			continue
		}
		checkKeys(f.value, "an output", []string{"Value", "Description", "Export", "Condition"}, c.report)
		o := &output{name: f.name(), key: f.key, at: f.value, description: description(f.value.get("Description"), c.report)}
		o.value = c.textual(f.value.get("Value"), "the Value of an output")
		if condition := f.value.get("Condition"); condition != nil {
			o.condition, _ = c.conditionName(condition, "Condition: Name")
		}
		if export := f.value.get("Export"); export != nil {
			if name := export.get("Name"); name == nil || len(export.fields) != 1 {
				c.errorf(export, "Export is an object with a Name alone; write Export: {Name: name}")
			} else {
				o.export = c.textual(name, "the Name of an export")
			}
		}
		all = append(all, o)
	}
	return all
}
