package template

import (
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Template is a template that has been read and checked. It is immutable and safe for concurrent
// use.
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

// Parse reads a template. The file's name is for messages; a body that begins with { is JSON, any
// other YAML. The error is an [Errors] that lists everything that was found, in the order of the
// file.
func Parse(file string, body []byte) (*Template, error) {
	return read(body, &source.Report{File: file})
}

// ParseAccepted reads a template that was accepted once, perhaps by a program that knew less: it
// lets pass what AWS's types do not have, and what Parse and Resolve otherwise find before the
// start.
func ParseAccepted(file string, body []byte) (*Template, error) {
	return read(body, &source.Report{File: file, Accepted: true})
}

func read(body []byte, r *source.Report) (*Template, error) {
	root := source.Read(body, tags, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	t := &Template{report: r}
	if isExtended(root) {
		t = declare(root, r)
	} else {
		parse(root, t, nil)
	}
	t.transformed = isTransformed(root)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// declare reads the parameters of a template with AWS::LanguageExtensions. The rest waits for their
// values, which loops can go over.
func declare(root *source.Node, r *source.Report) *Template {
	t := &Template{report: r, extended: root, Description: r.Description(root.Get("Description"))}
	checkSections(root, r)
	t.names.parameters, t.parameters = readParameters(root.Get("Parameters"), r)
	return t
}

// parse reads all sections. settled holds the values of the parameters if the template has
// AWS::LanguageExtensions.
func parse(root *source.Node, t *Template, settled *decisions) {
	r := t.report
	checkSections(root, r)
	t.Description = r.Description(root.Get("Description"))
	serverless := isServerless(root, r)
	t.names.parameters, t.parameters = readParameters(root.Get("Parameters"), r)
	t.names.mappings = readMappings(root.Get("Mappings"), r)
	if settled != nil {
		c := &compiler{Report: r, names: t.names, section: inConditions, settled: settled}
		root = expandLoops(root, r, c.collection)
		if len(r.Errors) > 0 {
			return
		}
	}
	t.names.conditions = declareConditions(root.Get("Conditions"), r)
	section, references := sam.Rewrite(root, serverless, r)
	t.names.references = references
	if n := len(section.Entries()); n > maxResources { // no more of it is read: each may be compared with all others
		r.Errorf(section, "a template has at most %d resources, and this one has %d (those that SAM adds included)", maxResources, n)
		return
	}
	t.names.resources, t.resources = declareResources(section, root.Get("Resources"), r)
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
	if settled != nil && len(r.Errors) == 0 {
		decide(t.names.conditions, settled) // names in references can depend on them
	}
	t.rules = c.compileRules(root.Get("Rules"))
	c.section = inResources
	for _, res := range t.resources {
		c.compileResource(res)
	}
	t.outputs = c.compileOutputs(root.Get("Outputs"))
}

// Declares says whether the template has a resource of a logical ID. One with
// AWS::LanguageExtensions may have any, as its parameters will tell.
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
