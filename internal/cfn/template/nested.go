package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const typeStack = "AWS::CloudFormation::Stack"

// StandIn is given in place of a nested stack to have a stand-in without effect.
const StandIn = "stand-in"

// Nested is a nested stack of a template, with the file of its own template as the parent's names it.
type Nested struct {
	Position
	LogicalID, File string
}

// Nested are the nested stacks whose templates are files, as far as the template says without the values of parameters.
func (t *Template) Nested() (all []Nested) {
	add := func(key, at *node) {
		if kind, _ := at.get("Type").stringValue(); kind != typeStack && kind != typeApplication {
			return
		}
		if file, ok := templateFile(at); ok {
			all = append(all, Nested{t.report.position(key), key.name, file})
		}
	}
	for _, res := range t.resources {
		add(res.key, res.at)
	}
	if resources := t.extended.get("Resources"); resources != nil {
		for _, f := range resources.fields {
			add(f.key, f.value)
		}
	}
	return all
}

const typeApplication = "AWS::Serverless::Application"

// templateFile is the file that a nested stack's template is in: its TemplateURL, or SAM's Location, if that is a path, as aws
// cloudformation package takes it; else what the CDK says in the metadata, where the URL is that of the asset in its bucket.
func templateFile(at *node) (file string, ok bool) {
	properties, metadata := at.get("Properties"), at.get("Metadata")
	for _, name := range []string{"TemplateURL", "Location"} {
		url, is := properties.get(name).stringValue()
		if is && url != "" && !strings.Contains(url, "://") {
			return url, true
		}
	}
	property, _ := metadata.get("aws:asset:property").stringValue()
	file, ok = metadata.get("aws:asset:path").stringValue()
	return file, ok && property == "TemplateURL"
}

// nested returns how a nested stack is deployed, or nil if something takes its place.
func (p *planner) nested(res *resource) func(engine.Properties) (engine.Source, error) {
	id := res.LogicalID
	switch stack := p.nests[id]; stack {
	case "":
		file, local := templateFile(res.at)
		source, there := engine.Source{}, false
		if local && p.open != nil {
			source, there = p.open(file)
		}
		if !there {
			why := "its TemplateURL leads to no file of this machine"
			if local {
				why = "there is no file " + shorten(file)
			}
			p.report.errorf(res.key, "the nested stack %s cannot be played: %s; write a path, relative to this template, deploy its template as a stack of its own and let that take its place with --nested %s=STACK, or let a stand-in without effect with --nested %s=%s", id, why, id, id, StandIn)
			return nil
		}
		if p.pick(res.properties.get("TimeoutInMinutes")) != nil {
			p.report.warnf(res.key, "TimeoutInMinutes of the nested stack %s is not played: it is waited for as long as its resources are", id)
		}
		return func(properties engine.Properties) (engine.Source, error) {
			var err error
			source := source
			source.Parameters, err = passed(properties)
			if err != nil {
				err = (&evaluation{decisions: p.decisions}).fail(p.place(res, "Parameters"), "%v", err)
			}
			return source, err
		}
	case StandIn:
		p.report.warnf(res.key, "a stand-in without effect takes the place of the nested stack %s; its outputs are made up, unless --attribute %s.Outputs.NAME=VALUE gives them", id, id)
	default:
		p.report.warnf(res.key, "the stack %s takes the place of the nested stack %s: its outputs are used as they are now, and it is created, updated and deleted by itself", shorten(stack), id)
	}
	return nil
}

// passed are the parameters that a nested stack is given: strings, and lists joined by commas [D].
func passed(properties engine.Properties) (map[string]string, error) {
	values := map[string]string{}
	given, is := properties.Map()["Parameters"].(map[string]any)
	if !is && properties.Map()["Parameters"] != nil {
		return nil, errors.New("the Parameters of a nested stack are an object of strings")
	}
	for name, value := range given {
		switch v := value.(type) {
		case string:
			values[name] = v
			continue
		case []any:
			items := make([]string, len(v))
			ok := true
			for i := range v {
				var is bool
				items[i], is = v[i].(string)
				ok = ok && is
			}
			if ok {
				values[name] = strings.Join(items, ",")
				continue
			}
		}
		return nil, fmt.Errorf("the parameter %s of a nested stack must be a string or a list of strings", shorten(name))
	}
	return values, nil
}

// outputOf reports an output that the stack in place of a nested one does not have.
func (p *planner) outputOf(a attribute) {
	stack := p.nests[a.id]
	if stack == "" || stack == StandIn || p.names.resources[a.id].Type != typeStack {
		return
	}
	name, err := (&evaluation{decisions: p.decisions}).text(a.name, a.at, "the attribute's name")
	if _, known := p.attributes[a.id+"."+name]; err == nil && !known {
		p.report.errorf(a.at, "the stack %s has no output %s, which is asked of the nested stack %s", shorten(stack), shorten(strings.TrimPrefix(name, "Outputs.")), a.id)
	}
}

// attributesGiven are the values that are given for attributes of stand-ins: a JSON array is a list, anything else text.
func (p *planner) attributesGiven(given map[string]string) map[string]any {
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		id, attribute, dotted := strings.Cut(name, ".")
		res := p.names.resources[id]
		switch {
		case !dotted || attribute == "":
			p.report.errorf(&node{}, "--attribute %s names no attribute; write --attribute RESOURCE.ATTRIBUTE=VALUE", shorten(name))
			continue
		case res == nil:
			p.report.errorf(&node{}, "--attribute %s names a resource that the template does not have%s", shorten(name), didYouMean(id, maps.Keys(p.names.resources)))
			continue
		case engine.IsCustomResource(res.Type):
			p.report.errorf(&node{}, "--attribute %s is of a custom resource, whose handler gives its attributes; remove it", shorten(name))
			continue
		}
		var list []any
		if json.Unmarshal([]byte(value), &list) == nil {
			all[name] = list
		} else {
			all[name] = value
		}
	}
	return all
}
