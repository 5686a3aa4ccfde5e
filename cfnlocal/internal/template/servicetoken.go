package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// providerTypes are the types whose own ARN, as Ref or as the attribute Arn, can be a ServiceToken.
var providerTypes = []string{typeFunction, "AWS::Lambda::Alias", "AWS::Lambda::Version", "AWS::SNS::Topic"}

// checkToken refuses a ServiceToken that is the ARN or the name of an AWS resource that answers no
// requests. Other attributes may well be the ARN of a function, such as the outputs of a nested
// stack, and so may what --attribute gives.
func (p *planner) checkToken(res *resource) {
	id, name := p.named(res.properties.get("ServiceToken"))
	target := p.names.resources[id]
	if target == nil || name != "" && name != "Arn" || slices.Contains(providerTypes, target.Type) {
		return
	}
	if _, given := p.attributes[id+"."+name]; given || !strings.HasPrefix(target.Type, "AWS::") || strings.HasPrefix(target.Type, "AWS::CloudFormation::") {
		return
	}
	advice := "; refer to one, as in !GetAtt Function.Arn"
	if near := source.Nearest(target.Type, slices.Values([]string{sam.Function, typeFunction, "AWS::SNS::Topic"})); near != "" {
		advice = "; did you mean " + near + "?"
	}
	p.report.Errorf(p.place(res, "ServiceToken"), "%s is an %s, which is no function or topic%s", id, source.Shorten(target.Type), advice)
}

// named is the resource that an expression refers to and nothing else, with the attribute, "" if
// that is Ref.
func (p *planner) named(e expr) (id, attributeName string) {
	switch e := p.pick(e).(type) {
	case resourceRef:
		return e.id, ""
	case attribute:
		if name, ok := e.name.(literal); ok {
			s, _ := source.Text(name.value)
			return e.id, s
		}
	case sub:
		pieces := slices.DeleteFunc(slices.Clone(e.pieces), func(one piece) bool { return one.value == nil && one.text == "" })
		if len(pieces) == 1 && pieces[0].text == "" {
			return p.named(pieces[0].value)
		}
	}
	return "", ""
}
