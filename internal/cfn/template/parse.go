package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/foreach"
	"github.com/cfnresource/sdk-go/internal/cfn/template/mapping"
	"github.com/cfnresource/sdk-go/internal/cfn/template/parameter"
	"github.com/cfnresource/sdk-go/internal/cfn/template/sam"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// Template is a template that has been read and checked. It is immutable and safe for concurrent use.
type Template struct {
	Description string
	names       names
	parameters  []*Parameter // in the order of the file, as the rest
	resources   []*resource
	outputs     []*output
	rules       []rule
	extended    *source.Node   // the whole template if it has AWS::LanguageExtensions: read once the parameters are known
	report      *source.Report // its warnings; it has no errors
	transformed bool           // a transform makes more of it
}

var templateSections = []string{
	"AWSTemplateFormatVersion", "Description", "Metadata", "Parameters", "Rules", "Mappings", "Conditions", "Transform",
	"Globals", "Hooks", "Resources", "Outputs",
}

// Parse reads a template. The file's name is for messages; a body that begins with { is JSON, any other YAML. The error
// is an [Errors] that lists everything that was found, in the order of the file.
func Parse(file string, body []byte) (*Template, error) {
	r := &source.Report{File: file}
	root := source.Read(body, tags, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	t := &Template{report: r}
	if extended(root) {
		t = declare(root, r)
	} else {
		parse(root, t, nil)
	}
	t.transformed = len(transforms(root)) > 0
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// declare reads the parameters of a template with AWS::LanguageExtensions. The rest waits for their values, which loops
// can go over.
func declare(root *source.Node, r *source.Report) *Template {
	t := &Template{report: r, extended: root, Description: r.Description(root.Get("Description"))}
	checkSections(root, r)
	t.names.parameters, t.parameters = parameter.Read(root.Get("Parameters"), r)
	return t
}

// parse reads all sections. settled holds the values of the parameters if the template has AWS::LanguageExtensions.
func parse(root *source.Node, t *Template, settled *decisions) {
	r := t.report
	checkSections(root, r)
	t.Description = r.Description(root.Get("Description"))
	serverless := checkTransform(root, r)
	t.names.parameters, t.parameters = parameter.Read(root.Get("Parameters"), r)
	t.names.mappings = mapping.Read(root.Get("Mappings"), r)
	if settled != nil {
		c := &compiler{Report: r, names: t.names, section: inConditions, settled: settled}
		root = foreach.Expand(root, r, c.collection)
		if len(r.Errors) > 0 {
			return
		}
	}
	t.names.conditions = declareConditions(root.Get("Conditions"), r)
	section, references := sam.Rewrite(root, serverless, r)
	t.names.references = references
	t.names.resources, t.resources = declareResources(section, r)
	if len(t.resources) == 0 && len(r.Errors) == 0 {
		at := root
		if section != nil {
			at = section
		}
		r.Errorf(at, "a template needs at least one resource; write Resources: and a resource below it")
	}
	for name, p := range t.names.parameters {
		if res := t.names.resources[name]; res != nil {
			r.Errorf(res.key, "%s is the name of a parameter too (line %d); rename one of the two", source.Shorten(name), p.Line)
		}
	}
	c := &compiler{Report: r, names: t.names, settled: settled}
	c.compileConditions(root.Get("Conditions"))
	t.rules = c.compileRules(root.Get("Rules"))
	c.section = inResources
	for _, res := range t.resources {
		c.compileResource(res)
	}
	t.outputs = c.compileOutputs(root.Get("Outputs"))
}

func checkSections(root *source.Node, r *source.Report) {
	r.CheckKeys(root, "a template", templateSections)
	if v := root.Get("AWSTemplateFormatVersion"); v != nil && v.Value != "2010-09-09" {
		r.Errorf(v, "the only template format version is 2010-09-09; write AWSTemplateFormatVersion: 2010-09-09")
	}
	if hooks := root.Get("Hooks"); hooks != nil {
		r.Errorf(hooks, "Hooks (blue/green deployments) are not supported here; remove the section")
	}
	for _, name := range []string{"Metadata", "Rules", "Resources"} {
		r.Fields(root.Get(name))
	}
}

// Declares says whether the template has a resource of a logical ID. One with AWS::LanguageExtensions may have any, as its
// parameters will tell.
func (t *Template) Declares(id string) bool {
	return t.extended != nil || t.names.resources[id] != nil
}

// Parameters are the parameters that the template declares, in its order.
func (t *Template) Parameters() []Parameter {
	all := make([]Parameter, len(t.parameters))
	for i, p := range t.parameters {
		all[i] = *p
	}
	return all
}

// checkTransform says whether the template asks for SAM's transform, and refuses every other macro.
func checkTransform(root *source.Node, r *source.Report) (serverless bool) {
	for _, item := range transforms(root) {
		name, ok := item.Text()
		switch {
		case name == sam.Transform:
			serverless = true
		case !ok || name == "AWS::Include":
			r.Errorf(item, "AWS::Include and macros with parameters are not supported here; write out what they bring in")
		case name == languageExtensions:
		case strings.HasPrefix(name, "AWS::Serverless"):
			r.Errorf(item, "there is no transform %s; write Transform: %s", source.Shorten(name), sam.Transform)
		default:
			r.Errorf(item, "the macro %s runs in AWS only, and of transforms %s and %s alone are supported here; write out what the macro makes", source.Shorten(name), sam.Transform, languageExtensions)
		}
	}
	return serverless
}

// extended says whether the template asks for AWS::LanguageExtensions.
func extended(root *source.Node) bool {
	return slices.ContainsFunc(transforms(root), func(n *source.Node) bool { return n.Value == languageExtensions })
}

// transforms is what the template asks for: one name, or a list.
func transforms(root *source.Node) []*source.Node {
	switch at := root.Get("Transform"); {
	case at == nil:
		return nil
	case at.Kind == source.List:
		return at.Items
	default:
		return []*source.Node{at}
	}
}
