package template

import (
	"slices"
	"strings"
)

const serverlessTransform = "AWS::Serverless-2016-10-31"

// checkTransform says whether the template asks for SAM's transform, and refuses every other macro.
func checkTransform(root *node, r *report) (serverless bool) {
	at := root.get("Transform")
	if at == nil {
		return false
	}
	items := []*node{at}
	if at.kind == list {
		items = at.items
	}
	for _, item := range items {
		name, ok := item.text()
		switch {
		case name == serverlessTransform:
			serverless = true
		case !ok || name == "AWS::Include":
			r.errorf(item, "AWS::Include and macros with parameters are not supported here; write out what they bring in")
		case name == languageExtensions:
		case strings.HasPrefix(name, "AWS::Serverless"):
			r.errorf(item, "there is no transform %s; write Transform: %s", shorten(name), serverlessTransform)
		default:
			r.errorf(item, "the macro %s runs in AWS only, and of transforms %s and %s alone are supported here; write out what the macro makes", shorten(name), serverlessTransform, languageExtensions)
		}
	}
	return serverless
}

// extended says whether the template asks for AWS::LanguageExtensions.
func extended(root *node) bool {
	at := root.get("Transform")
	if at == nil {
		return false
	}
	return at.value == languageExtensions || slices.ContainsFunc(at.items, func(n *node) bool { return n.value == languageExtensions })
}

// transform is the Resources section as SAM leaves it: plain CloudFormation. Without the transform it is the section
// itself, and what belongs to SAM is an error. references are the names that SAM's own references, such as Function.Alias,
// stand for.
func transform(root *node, serverless bool, r *report) (resources *node, references map[string]string) {
	section, globals := root.get("Resources"), root.get("Globals")
	if !serverless && globals != nil {
		r.errorf(globals, "Globals belong to SAM; add Transform: %s", serverlessTransform)
	}
	if section == nil || section.kind != object {
		return section, nil
	}
	shared := readGlobals(globals, r)
	out := newObject(section)
	out.parent, out.name = section.parent, section.name
	m := &samTransform{report: r, section: out, written: map[string]*node{}, references: map[string]string{}}
	for _, f := range section.fields {
		m.written[f.name()] = f.key
	}
	size := 0
	for _, f := range section.fields {
		t, _ := f.value.get("Type").stringValue()
		switch {
		case strings.HasPrefix(t, "AWS::Serverless::") && !serverless:
			r.errorf(f.value.get("Type"), "types of SAM need its transform; add Transform: %s", serverlessTransform)
			out.fields = append(out.fields, f)
		case t == typeServerless:
			if size += weight(shared); size > maxBody {
				r.errorf(f.key, "with what every function inherits from Globals the template is larger than %d bytes, which CloudFormation allows of a transformed template; make Globals smaller, or split the template", maxBody)
				return out, m.references
			}
			m.function(f, shared)
		case serverlessTypes[t] != "":
			m.plain(f, t)
		default:
			out.fields = append(out.fields, f)
		}
	}
	m.implicitAPIs(section)
	return out, m.references
}

// stringValue is text for a node that may be missing.
func (n *node) stringValue() (string, bool) {
	if n == nil {
		return "", false
	}
	return n.text()
}
