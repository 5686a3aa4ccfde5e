// Package sam rewrites what AWS's Serverless Application Model adds to templates: resources of its
// types become the resources of CloudFormation that the transform makes of them, nodes for nodes.
// What is played has its properties; anything else is a stand-in under the name that SAM gives it.
package sam

import (
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// The types of SAM that the planner knows too.
const (
	Function    = "AWS::Serverless::Function"
	Application = "AWS::Serverless::Application"
)

// Transform is the name of the transform, as templates ask for it.
const Transform = "AWS::Serverless-2016-10-31"

// Rewrite returns the Resources section as SAM leaves it: plain CloudFormation. If the template
// does not ask for the transform, it is the section itself, and what belongs to SAM is an error.
// references are the logical IDs that SAM's own references, such as Function.Alias, stand for.
func Rewrite(root *source.Node, asked bool, r *source.Report) (resources *source.Node, references map[string]string) {
	section, globals := root.Get("Resources"), root.Get("Globals")
	if !asked && globals != nil {
		r.Errorf(globals, "Globals belong to SAM; add Transform: %s", Transform)
	}
	if section == nil || section.Kind != source.Object {
		return section, nil
	}
	shared := readGlobals(globals, r)
	out := source.NewObject(section)
	rw := &rewriter{Report: r, section: out, written: map[string]*source.Node{}, references: map[string]string{}}
	for _, f := range section.Fields {
		rw.written[f.Name()] = f.Key
	}
	size := 0
	for _, f := range section.Fields {
		t, _ := f.Value.Get("Type").Text()
		switch {
		case strings.HasPrefix(t, "AWS::Serverless::") && !asked:
			r.Errorf(f.Value.Get("Type"), "types of SAM need its transform; add Transform: %s", Transform)
			out.Fields = append(out.Fields, f)
		case t == Function:
			if size += weight(shared); size > source.MaxBytes {
				r.Errorf(f.Key, "with what every function inherits from Globals the template is larger than %d bytes, which CloudFormation allows of a transformed template; make Globals smaller, or split the template", source.MaxBytes)
				return out, rw.references
			}
			rw.function(f, shared)
		case plainTypes[t] != "":
			rw.plain(f, t)
		default:
			out.Fields = append(out.Fields, f)
		}
	}
	rw.implicitAPIs(section)
	return out, rw.references
}
