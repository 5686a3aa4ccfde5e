package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// languageExtensions is the transform for loops and more functions.
const languageExtensions = "AWS::LanguageExtensions"

var sectionNames = []string{
	"AWSTemplateFormatVersion", "Description", "Metadata", "Parameters", "Rules", "Mappings", "Conditions", "Transform",
	"Globals", "Hooks", "Resources", "Outputs",
}

// checkSections reports sections that there are not, or that are not supported here.
func checkSections(root *source.Node, r *source.Report) {
	r.CheckKeys(root, "a template", sectionNames)
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

// isServerless says whether the template asks for SAM's transform, and refuses every other macro.
func isServerless(root *source.Node, r *source.Report) (serverless bool) {
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

// isExtended says whether the template asks for AWS::LanguageExtensions.
func isExtended(root *source.Node) bool {
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

// isTransformed says whether the template asks for any transform.
func isTransformed(root *source.Node) bool { return len(transforms(root)) > 0 }
