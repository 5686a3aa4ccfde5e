package template

import (
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// selfInvocation is what the policies of a function's role say of the function invoking itself. A
// role that the template does not have is unclear.
func (p *planner) selfInvocation(function *resource, active []*resource) invokeGrant {
	role, _ := p.predict(function.properties.get("Role")).(string)
	id, attribute, _ := strings.Cut(strings.TrimPrefix(role, predictedAttribute), ".")
	if !strings.HasPrefix(role, predictedAttribute) || attribute != "Arn" || p.names.resources[id].Type != "AWS::IAM::Role" {
		return invokeGrant{unclear: true}
	}
	own, err := predicted{p}.GetAtt(function.LogicalID, "Arn")
	if err != nil {
		return invokeGrant{unclear: true}
	}
	arn, _ := own.(string) // of a function it is nothing else
	if p.policies[id] == nil {
		p.policies[id] = p.policiesOf(id, active)
	}
	return p.policies[id].invoking(arn)
}

// policiesOf are the policies of a role: its own, and those of other resources that name it.
func (p *planner) policiesOf(id string, active []*resource) *rolePolicies {
	all := new(rolePolicies)
	properties := p.names.resources[id].properties
	for _, property := range []string{"Policies", "ManagedPolicyArns"} {
		for _, policy := range source.Listed(p.predict(properties.get(property))) {
			all.attach(p.policyOf(policy))
		}
	}
	for _, res := range active {
		var roles any
		switch res.Type {
		case "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy":
			roles = p.predict(res.properties.get("Roles"))
		case "AWS::IAM::RolePolicy":
			roles = p.predict(res.properties.get("RoleName"))
		}
		for _, role := range source.Listed(roles) {
			if role == predictedRef+id {
				all.document(p.predict(res.properties.get("PolicyDocument")))
			}
		}
	}
	return all
}

// policyOf is what a policy is attached by: a managed policy of the template for a reference to it.
func (p *planner) policyOf(policy any) any {
	s, _ := policy.(string)
	id, here := strings.CutPrefix(s, predictedRef)
	if !here || p.names.resources[id].Type != "AWS::IAM::ManagedPolicy" {
		return policy
	}
	return map[string]any{"PolicyDocument": p.predict(p.names.resources[id].properties.get("PolicyDocument"))}
}

// predict evaluates a property before there are resources; nil if that cannot be.
func (p *planner) predict(e expr) any {
	if e = p.pick(e); e == nil {
		return nil
	}
	v, err := e.eval(&evaluation{decisions: p.decisions, refs: predicted{p}})
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

// notYetKnown is what cannot be evaluated before there are resources.
type notYetKnown struct{}

// predicted tells what resources will be called: functions as they are, all others by what they are
// referred to.
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
		return (&evaluation{decisions: p.decisions}).text(name, res.key, "FunctionName")
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

// mostLinks is how often a function can go on by invoking itself: Lambda ends a chain of sixteen
// invocations [D].
const mostLinks = 15

// adviseLinks warns if CloudFormation waits for longer than a function can go on that is made to
// invoke itself.
func (p *planner) adviseLinks(res *resource, f Function, wait int) {
	function := p.names.resources[f.LogicalID]
	loop := p.predictText(function.properties.get("RecursiveLoop"))
	timeout := int(f.timeout.Seconds())
	if !f.named || loop == "Allow" || wait <= mostLinks*timeout {
		return
	}
	p.report.Warnf(p.place(res, "ServiceTimeout"), "CloudFormation waits %d seconds, and the function %s, which may invoke itself, may work for %d each time: Lambda ends a chain of 16 invocations before; raise the function's Timeout to %d, or lower ServiceTimeout to %d",
		wait, f.LogicalID, timeout, (wait+mostLinks-1)/mostLinks, mostLinks*timeout)
}
