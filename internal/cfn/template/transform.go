package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/sam"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

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
