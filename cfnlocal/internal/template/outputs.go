package template

import (
	"regexp"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

const maxOutputs = 200 // CloudFormation's quota

// exportName is what the name of an export is made of: CloudFormation's error for any other says so.
var exportName = regexp.MustCompile(`^[A-Za-z0-9:-]+$`)

type output struct {
	name, description string
	at                *source.Node
	condition         string
	value             expr
	export            expr // nil if it is not exported
}

func (c *compiler) compileOutputs(section *source.Node) []*output {
	c.section = inOutputs
	fields := c.Fields(section)
	if len(fields) > maxOutputs {
		c.Errorf(section, "a template has at most %d outputs, and this one has %d", maxOutputs, len(fields))
		return nil
	}
	var all []*output
	for _, f := range fields {
		c.CheckName(f.Key, "an output")
		if strings.HasPrefix(f.Name(), "Fn::") {
			continue
		}
		if f.Value.Kind != source.Object || f.Value.Get("Value") == nil {
			c.Errorf(f.Value, "an output needs a Value; write %s: {Value: !Ref LogicalID}", source.Shorten(f.Name()))
			continue
		}
		c.CheckKeys(f.Value, "an output", []string{"Value", "Description", "Export", "Condition"})
		o := &output{name: f.Name(), at: f.Value, description: c.Description(f.Value.Get("Description"))}
		o.value = c.textual(f.Value.Get("Value"), "the Value of an output")
		if condition := f.Value.Get("Condition"); condition != nil {
			o.condition, _ = c.conditionName(condition, "Condition: Name")
		}
		if export := f.Value.Get("Export"); export != nil {
			if name := export.Get("Name"); name == nil || len(export.Fields) != 1 {
				c.Errorf(export, "Export is an object with a Name alone; write Export: {Name: name}")
			} else {
				o.export = c.textual(name, "the Name of an export")
			}
		}
		all = append(all, o)
	}
	return all
}
