package template

// What a property will be, as far as that is known before there are resources.

import (
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// predict evaluates a property before there are resources; nil if that cannot be.
func (p *planner) predict(e expr) any {
	if e = p.pick(e); e == nil {
		return nil
	}
	v, err := (&evaluation{decisions: p.decisions, refs: predicted{p}}).eval(e)
	if err != nil {
		return notYetKnown{}
	}
	return v
}

// predictText is predict for a text that names no resource but functions; "" if there is none.
func (p *planner) predictText(e expr) string {
	s, _ := source.Text(p.predict(e))
	if strings.Contains(s, predictedRef) || strings.Contains(s, predictedAttribute) {
		return ""
	}
	return s
}

// notYetKnown stands for a value that cannot be evaluated before resources exist.
type notYetKnown struct{}

// predicted answers references before there are resources: with the names of functions, and with
// marks for all other resources.
type predicted struct{ *planner }

const predictedRef, predictedAttribute = "\x00ref ", "\x00attribute " // nobody writes texts like these

// Ref is a function's name, or stands for the resource. A name that depends on another resource is
// not known.
func (p predicted) Ref(id string) (string, error) {
	res := p.names.resources[id]
	if res.Type != typeFunction {
		return predictedRef + id, nil
	}
	if name := p.pick(res.properties.get("FunctionName")); name != nil {
		return p.early().text(name, res.key, "FunctionName")
	}
	return fmt.Sprintf("%s-%s-XXXXXXXXXXXX", p.pseudo["AWS::StackName"], id), nil
}

// GetAtt is a function's ARN, or stands for the attribute.
func (p predicted) GetAtt(id, attribute string) (any, error) {
	if p.names.resources[id].Type != typeFunction || attribute != "Arn" {
		return predictedAttribute + id + "." + attribute, nil
	}
	name, err := p.Ref(id)
	return fmt.Sprintf("arn:%s:lambda:%s:%s:function:%s", p.pseudo["AWS::Partition"], p.pseudo["AWS::Region"], p.pseudo["AWS::AccountId"], name), err
}
