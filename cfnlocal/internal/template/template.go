// Package template reads CloudFormation and SAM templates, and makes plans for the engine.
//
// A template is read in three steps:
//
//   - [Parse] reads YAML or JSON into a tree that knows the place of every value, applies the SAM
//     transform, and checks all that can be known without parameter values: sections, names,
//     references, arguments of functions. In a template with AWS::LanguageExtensions it reads only
//     the parameters: loops can go over their values.
//   - [Template.Resolve] takes the parameter values and the pseudo parameters of one stack, decides
//     the conditions and yields a [Plan]: resources with their dependencies, outputs, Lambda
//     functions, warnings.
//   - The engine asks each resource of the plan for its properties when its turn comes, and answers
//     the references that can only be known then.
//
// Package source reads files as nodes, and package sam turns SAM's nodes into CloudFormation's;
// neither imports this one. Here nodes become expressions, and expressions a plan. Each function of
// CloudFormation has a row in intrinsics.go, and a type that compiles its calls.
//
// The package reads what CloudFormation reads and refuses what CloudFormation refuses. What this
// package does not support (macros, nested stacks whose templates are not files here) is an [Error]
// that says so and, where there is a way, names it. Every error carries file, line and column. No
// error holds the value of a property; the value of a parameter only where it is the name of an
// export or of a parameter in Parameter Store, and never of one with NoEcho.
package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Flag is a flag with a value NAME=VALUE, quoted for a shell.
func Flag(flag, name, value string) string { return source.Flag(flag, name, value) }

// Types of package source, so that other packages need this one only.
type (
	// Position is a place in a template file.
	Position = source.Position
	// Error is a mistake in a template, or an error in the evaluation of one of its expressions.
	Error = source.Error
	// Errors has all errors of a template, in the order of the file.
	Errors = source.Errors //nolint:errname // it is several errors, as its plural says
	// Warning is about a part of a template that CloudFormation accepts and that is likely to go wrong,
	// or that has no effect here.
	Warning = source.Warning
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
	transformed bool           // it has a transform
}

// Parse reads a template. The file's name is for messages; a body that begins with { is JSON, any
// other is YAML. The error is an [Errors] with all mistakes that were found, in the order of the
// file.
func Parse(file string, body []byte) (*Template, error) {
	return read(body, &source.Report{File: file})
}

// ParseAccepted reads a template that an earlier version may have accepted. It accepts mistakes that an
// earlier version did not report: properties that AWS's types do not have, and mistakes that Parse and
// Resolve otherwise report before the start.
func ParseAccepted(file string, body []byte) (*Template, error) {
	return read(body, &source.Report{File: file, Accepted: true})
}

func read(body []byte, r *source.Report) (*Template, error) {
	root := source.Read(body, tags, r)
	refuseForeign(root, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	t := &Template{report: r}
	if isExtended(root) {
		t = declare(root, r)
	} else {
		parse(root, t, nil)
	}
	t.transformed = len(root.Get("Transform").Listed()) > 0
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
	t.names.parameters, t.parameters = readParameters(root.Get("Parameters"), r, new(budget))
	return t
}

// parse reads all sections. settled holds the values of the parameters if the template has
// AWS::LanguageExtensions.
func parse(root *source.Node, t *Template, settled *decisions) {
	r := t.report
	work := new(budget)
	if settled != nil {
		work = settled.budget
	}
	// The sections without references.
	checkSections(root, r)
	t.Description = r.Description(root.Get("Description"))
	serverless := isServerless(root, r)
	t.names.parameters, t.parameters = readParameters(root.Get("Parameters"), r, work)
	t.names.mappings = readMappings(root.Get("Mappings"), r)
	// Loops are written out once their collections are known.
	if settled != nil {
		c := &compiler{Report: r, names: t.names, section: inConditions, budget: work, settled: settled}
		root = expandLoops(root, r, c.collection)
		if len(r.Errors) > 0 {
			return
		}
	}
	// All names, so that references can be checked in any order.
	t.names.conditions = declareConditions(root.Get("Conditions"), r)
	section, references := sam.Rewrite(root, serverless, r)
	t.names.references = references
	if n := len(section.Entries()); n > maxResources { // stop: each name may be compared with all others
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
	// The sections with references: conditions first, since they decide about the rest.
	c := &compiler{Report: r, names: t.names, budget: work, settled: settled}
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
	if work.isExceeded() {
		r.Errorf(&source.Node{}, tooMuchWork, maxAll)
	}
}

// Declares reports whether the template has a resource with a logical ID. A template with
// AWS::LanguageExtensions may have any, depending on its parameters.
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

// languageExtensions is the transform for loops and more functions.
const languageExtensions = "AWS::LanguageExtensions"

var sectionNames = []string{
	"AWSTemplateFormatVersion", "Description", "Metadata", "Parameters", "Rules", "Mappings", "Conditions", "Transform",
	"Globals", "Hooks", "Resources", "Outputs",
}

// foreign are files of other tools, by keys that no template has, and what to deploy instead.
var foreign = []struct {
	keys          []string
	what, instead string
}{
	{[]string{"service", "provider"}, "a file of the Serverless Framework", "run serverless package, and deploy .serverless/cloudformation-template-update-stack.json"},
	{[]string{"app"}, "a file of the CDK", "run cdk synth, and deploy cdk.out/STACK.template.json"},
	{[]string{"version", "artifacts"}, "a manifest of the CDK", "deploy the STACK.template.json beside it"},
	{[]string{"apiVersion", "kind"}, "a manifest of Kubernetes", "apply it with kubectl, and deploy a template"},
	{[]string{"services"}, "a file of Docker Compose", "start its services with --run, and deploy a template"},
}

// refuseForeign reports a file of another tool, instead of each of its keys.
func refuseForeign(root *source.Node, r *source.Report) {
	if root.Get("Resources") != nil {
		return
	}
	for _, f := range foreign {
		if !slices.ContainsFunc(f.keys, func(key string) bool { return root.Get(key) == nil }) {
			r.Errorf(root, "this is %s, not a template, and CloudFormation refuses it; %s", f.what, f.instead)
			return
		}
	}
}

// checkSections reports sections that do not exist, or that are not supported here.
func checkSections(root *source.Node, r *source.Report) {
	r.CheckKeys(root, "a template", sectionNames)
	if v := root.Get("AWSTemplateFormatVersion"); v != nil && v.Value != "2010-09-09" {
		r.Errorf(v, "AWSTemplateFormatVersion must be 2010-09-09; write AWSTemplateFormatVersion: 2010-09-09")
	}
	if hooks := root.Get("Hooks"); hooks != nil {
		r.Errorf(hooks, "Hooks (blue/green deployments) are not supported here; remove the section")
	}
	for _, name := range []string{"Metadata", "Rules", "Resources"} {
		r.Fields(root.Get(name))
	}
}

// isServerless reports whether the template asks for SAM's transform, and refuses every other macro.
func isServerless(root *source.Node, r *source.Report) (serverless bool) {
	for _, item := range root.Get("Transform").Listed() {
		name, ok := item.Text()
		switch {
		case name == sam.Transform:
			serverless = true
		case !ok || name == "AWS::Include":
			r.Errorf(item, "AWS::Include and macros with parameters are not supported here; write their output in their place")
		case name == languageExtensions:
		case strings.HasPrefix(name, "AWS::Serverless"):
			r.Errorf(item, "there is no transform %s; write Transform: %s", source.Shorten(name), sam.Transform)
		default:
			r.Errorf(item, "the macro %s runs in AWS only, and %s and %s are the only transforms supported here; write the macro's output in its place", source.Shorten(name), sam.Transform, languageExtensions)
		}
	}
	return serverless
}

// isExtended reports whether the template asks for AWS::LanguageExtensions.
func isExtended(root *source.Node) bool {
	return slices.ContainsFunc(root.Get("Transform").Listed(), func(n *source.Node) bool { return n.Value == languageExtensions })
}
