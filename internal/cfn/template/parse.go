package template

import (
	"bytes"
	"unicode/utf8"
)

// Template is a template that has been read and checked. It is immutable and safe for concurrent use.
type Template struct {
	Description string
	names       names
	parameters  []*Parameter // in the order of the file, as the rest
	resources   []*resource
	outputs     []*output
	rules       []rule
	extended    *node   // the whole template if it has AWS::LanguageExtensions: read once the parameters are known
	report      *report // its warnings; it has no errors
}

// templateSections are the top-level sections.
var templateSections = []string{
	"AWSTemplateFormatVersion", "Description", "Metadata", "Parameters", "Rules", "Mappings", "Conditions", "Transform",
	"Globals", "Hooks", "Resources", "Outputs",
}

// Parse reads a template. The file's name is for messages; a body that begins with { is JSON, any other YAML. The error
// is an [Errors] that lists everything that was found, in the order of the file.
func Parse(file string, body []byte) (*Template, error) {
	r := &report{file: file}
	root := read(body, r)
	if err := r.err(); err != nil {
		return nil, err
	}
	t := &Template{report: r}
	if extended(root) {
		t = declare(root, r)
	} else {
		parse(root, t, nil)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return t, nil
}

// read turns the body into nodes.
func read(body []byte, r *report) *node {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	switch {
	case len(body) > maxBody:
		r.errorf(&node{}, "the template has %d bytes, and CloudFormation takes at most %d; split it into several stacks", len(body), maxBody)
		return nil
	case !utf8.Valid(body):
		r.errorf(&node{}, "the template is not UTF-8 text; save it as UTF-8")
		return nil
	case len(body) > maxDirectBody:
		r.warnf(&node{}, "the template has %d bytes; above %d it must be put into S3 first, as sam deploy and aws cloudformation deploy --s3-bucket do", len(body), maxDirectBody)
	}
	var root *node
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '{' {
		root = readJSON(body, r)
	} else {
		root = readYAML(body, r)
	}
	if root != nil && root.kind != object && len(r.errors) == 0 {
		r.errorf(root, "a template is an object of sections, and here is %s; write Resources: and what belongs to it", root.kind)
	}
	return root
}

// declare reads the parameters of a template with AWS::LanguageExtensions. The rest waits for their values, which loops
// can go over.
func declare(root *node, r *report) *Template {
	t := &Template{report: r, extended: root, Description: description(root.get("Description"), r)}
	checkSections(root, r)
	t.names.parameters, t.parameters = readParameters(root.get("Parameters"), r)
	return t
}

// parse reads all sections. settled holds the values of the parameters if the template has AWS::LanguageExtensions.
func parse(root *node, t *Template, settled *decisions) {
	r := t.report
	checkSections(root, r)
	t.Description = description(root.get("Description"), r)
	serverless := checkTransform(root, r)
	t.names.parameters, t.parameters = readParameters(root.get("Parameters"), r)
	t.names.mappings = readMappings(root.get("Mappings"), r)
	if settled != nil {
		root = written(root, t.names, r, settled)
		if len(r.errors) > 0 {
			return
		}
	}
	t.names.conditions = declareConditions(root.get("Conditions"), r)
	section, references := transform(root, serverless, r)
	t.names.references = references
	t.names.resources, t.resources = declareResources(section, r)
	if len(t.resources) == 0 && len(r.errors) == 0 {
		at := root
		if section != nil {
			at = section
		}
		r.errorf(at, "a template needs at least one resource; write Resources: and a resource below it")
	}
	for name, p := range t.names.parameters {
		if res := t.names.resources[name]; res != nil {
			r.errorf(res.key, "%s is the name of a parameter too (line %d); rename one of the two", shorten(name), p.Line)
		}
	}
	c := &compiler{report: r, names: t.names, settled: settled}
	c.compileConditions(root.get("Conditions"))
	t.rules = c.compileRules(root.get("Rules"))
	c.section = inResources
	for _, res := range t.resources {
		c.compileResource(res)
	}
	t.outputs = c.compileOutputs(root.get("Outputs"))
}

// written is the template with its loops written out.
func written(root *node, known names, r *report, settled *decisions) *node {
	x := &expander{compiler: &compiler{report: r, names: known, section: inConditions, settled: settled}, decisions: settled}
	out := newObject(root)
	for _, f := range root.fields {
		switch f.name() {
		case "Conditions", "Resources", "Outputs":
			f.value = x.expand(f.value)
		}
		out.fields = append(out.fields, f)
	}
	return out
}

func checkSections(root *node, r *report) {
	checkKeys(root, "a template", templateSections, r)
	if v := root.get("AWSTemplateFormatVersion"); v != nil && v.value != "2010-09-09" {
		r.errorf(v, "the only template format version is 2010-09-09; write AWSTemplateFormatVersion: 2010-09-09")
	}
	if hooks := root.get("Hooks"); hooks != nil {
		r.errorf(hooks, "Hooks (blue/green deployments) are not supported here; remove the section")
	}
	for _, name := range []string{"Metadata", "Rules", "Resources"} {
		fieldsOf(root.get(name), r)
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
