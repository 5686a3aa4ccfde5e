package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const typeStack = "AWS::CloudFormation::Stack"

// StandIn replaces a nested stack with a stand-in without effect.
const StandIn = "stand-in"

// Nested is a nested stack of a template, with the file of its own template as the parent's names
// it.
type Nested struct {
	Position
	LogicalID, File string
}

// Nested returns the nested stacks whose templates are files, as far as they are known without the
// values of parameters.
func (t *Template) Nested() (all []Nested) {
	add := func(key, at *source.Node) {
		if kind, _ := at.Get("Type").Text(); kind != typeStack && kind != sam.Application {
			return
		}
		if file, ok := templateFile(at); ok {
			all = append(all, Nested{t.report.Position(key), key.Name, file})
		}
	}
	for _, res := range t.resources {
		add(res.key, res.at)
	}
	if resources := t.extended.Get("Resources"); resources != nil {
		for _, f := range resources.Fields {
			add(f.Key, f.Value)
		}
	}
	return all
}

// templateFile is the file that a nested stack's template is in: its TemplateURL, or SAM's
// Location, if that is a path, as aws cloudformation package takes it; else what the CDK says in
// the metadata, where the URL is that of the asset in its bucket.
func templateFile(at *source.Node) (file string, ok bool) {
	for _, name := range []string{"TemplateURL", "Location"} {
		url, is := at.Get("Properties").Get(name).Text()
		isPath := url != "" && !strings.Contains(url, "://")
		if is && isPath {
			return url, true
		}
	}
	return asset(at, "TemplateURL")
}

// templateOf returns the template of a nested stack, if it is here, and the file that the stack names,
// if it names one.
func (p *planner) templateOf(res *resource) (found engine.Source, file string, there bool) {
	file, local := templateFile(res.at)
	if !local {
		return found, "", false
	}
	if p.stack.Open != nil {
		found, there = p.stack.Open(file)
	}
	return found, file, there
}

// hasOwnTemplate reports whether a resource is a nested stack that is deployed from its own template.
func (p *planner) hasOwnTemplate(res *resource) bool {
	_, _, here := p.templateOf(res)
	return here && res.Type == typeStack && p.stack.Nested[res.LogicalID] == ""
}

// nested returns how a nested stack is deployed, or nil if another stack or a stand-in takes its place.
func (p *planner) nested(res *resource) func(engine.Properties) (engine.Source, error) {
	id := res.LogicalID
	switch stack := p.stack.Nested[id]; stack {
	case "":
		// The template must be here now, since whatever it lacks is asked for before anything starts.
		p.checkPassed(res)
		found, file, there := p.templateOf(res)
		if !there {
			p.reportNoTemplate(res, file)
			return nil
		}
		if p.pick(res.properties.get("TimeoutInMinutes")) != nil {
			p.report.Warnf(res.key, "TimeoutInMinutes of the nested stack %s has no effect here: cfnlocal waits as long as the resources take", id)
		}
		p.requireNested(res, found)
		// The parameters are known once the resources that they refer to exist.
		return func(properties engine.Properties) (engine.Source, error) {
			from := found
			var err error
			if from.Parameters, err = passedParameters(properties.Map()); err != nil {
				err = p.early().fail(res.place("Parameters"), "%v", err)
			}
			return from, err
		}
	case StandIn:
		p.report.Warnf(res.key, "a stand-in without effect takes the place of the nested stack %s; its outputs are made up, unless --attribute %s.Outputs.NAME=VALUE gives them", id, id)
	default:
		p.report.Warnf(res.key, "the stack %s takes the place of the nested stack %s: its outputs are used as they are now, and it is created, updated and deleted by itself", source.Shorten(stack), id)
	}
	return nil
}

// reportNoTemplate reports a nested stack without a template here. A file that the template names is to be there, since a stack
// that was made from it takes nothing in its place.
func (p *planner) reportNoTemplate(res *resource, file string) {
	id := p.stack.Path + res.LogicalID
	replaced := fmt.Sprintf("deploy its template as a separate stack and use that with --nested %s=STACK, or use a stand-in without effect with --nested %s=%s", id, id, StandIn)
	if file != "" {
		p.report.Errorf(res.key, "the nested stack %s cannot be deployed here: there is no file %s; put it there, or write the path of another, relative to this template. In a new stack, you can also %s", id, source.Shorten(file), replaced)
		return
	}
	p.report.Missing(res.key, []string{source.Flag("--nested", id, StandIn)}, "the nested stack %s cannot be deployed here: its TemplateURL names no file on this machine; write a path, relative to this template, or %s", id, replaced)
}

// notSimple is what CloudFormation says of a nested stack with a parameter that is no text. It documents that
// no list can be passed ("AWS::CloudFormation::Stack" in the template reference).
const notSimple = "Value of property Parameters must be an object with String (or simple type) properties"

// checkPassed reports lists and objects among the parameters of a nested stack.
func (p *planner) checkPassed(res *resource) {
	parameters, at := p.chosen(res.properties.get("Parameters"), res.place("Parameters"))
	object, is := parameters.(objectExpr)
	switch { // an object that is not written out has no places
	case !is, at.Kind != source.Object, len(at.Fields) != len(object.names):
		return
	}
	for i, value := range object.values {
		value, place := p.chosen(value, at.Fields[i].Value)
		kind, known := p.kindOf(value, place)
		if a, is := value.(attribute); is && p.names.isListAttribute(a) {
			kind, known = aList, true
		}
		isText := kind == aString || kind == aBoolean
		if known && !isText {
			p.report.Checkf(place, "%s; join a list: %s: !Join [\",\", LIST]", notSimple, source.Shorten(object.names[i]))
		}
	}
}

// requireNested reports the missing values of a nested stack, as far as they are known before the
// resources exist whose IDs and attributes it gets.
func (p *planner) requireNested(res *resource, from engine.Source) {
	parameters := p.pick(res.properties.get("Parameters"))
	object, is := parameters.(objectExpr)
	computed := parameters != nil && !is
	if p.stack.Needs == nil || computed {
		return
	}
	// A value that is guessed may be another one, so it counts as known later.
	known, later := map[string]any{}, map[string]bool{}
	for i, name := range object.names {
		value := object.values[i]
		if p.pick(value) == nil {
			continue
		}
		v, err := p.early().eval(p.given(value))
		if known[name] = v; err != nil || p.isGuess(value) {
			delete(known, name)
			later[name] = true
		}
	}
	var err error
	if from.Parameters, err = passedParameters(map[string]any{"Parameters": known}); err == nil {
		p.report.Errors = append(p.report.Errors, p.stack.Needs(p.stack.Path+res.LogicalID, from, later)...)
	}
}

// outputOf reports an output that the stack in place of a nested one does not have.
func (p *planner) outputOf(a attribute) {
	stack := p.stack.Nested[a.id]
	if stack == "" || stack == StandIn || p.names.resources[a.id].Type != typeStack {
		return
	}
	name, err := p.early().text(a.name, a.at, "the attribute's name")
	if _, known := p.attributes[a.id+"."+name]; err == nil && !known {
		p.report.Errorf(a.at, "the stack %s has no output %s, which the template reads from the nested stack %s", source.Shorten(stack), source.Shorten(strings.TrimPrefix(name, "Outputs.")), a.id)
	}
}

// attributesGiven are the values that are given for attributes of stand-ins: a JSON array is a
// list, anything else text.
func (p *planner) attributesGiven(given map[string]string) map[string]any {
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		// A handler gives its own attributes: a value that overrides them would hide what it answers.
		id, attribute, dotted := strings.Cut(name, ".")
		res := p.names.resources[id]
		switch {
		case !dotted || attribute == "":
			p.report.Errorf(&source.Node{}, "--attribute %s names no attribute; write --attribute RESOURCE.ATTRIBUTE=VALUE", source.Shorten(name))
			continue
		case res == nil:
			p.report.Errorf(&source.Node{}, "--attribute %s names a resource that the template does not have%s", source.Shorten(name), source.DidYouMean(id, maps.Keys(p.names.resources)))
			continue
		case engine.IsCustomResource(res.Type):
			p.report.Errorf(&source.Node{}, "--attribute %s is of a custom resource, whose handler gives its attributes; remove it", source.Shorten(name))
			continue
		}
		// Attributes are texts or lists, so nothing else is read as JSON.
		var list []any
		if json.Unmarshal([]byte(value), &list) == nil {
			all[name] = list
		} else {
			all[name] = value
		}
	}
	return all
}

// passedParameters are the parameters that a nested stack is given: strings [D].
func passedParameters(properties map[string]any) (map[string]string, error) {
	values := map[string]string{}
	given, is := properties["Parameters"].(map[string]any)
	if !is && properties["Parameters"] != nil {
		return nil, errors.New(notSimple)
	}
	for name, value := range given {
		if values[name], is = value.(string); !is {
			return nil, fmt.Errorf("%s; %s is none", notSimple, source.Shorten(name))
		}
	}
	return values, nil
}
