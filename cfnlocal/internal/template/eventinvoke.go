package template

import (
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// eventInvokeConfigs gives each function what the AWS::Lambda::EventInvokeConfig says that is for
// it.
func (p *planner) eventInvokeConfigs(active []*resource, functions []Function) {
	for _, res := range active {
		if res.Type != typeEventInvoke {
			continue
		}
		id := p.functionOf(res.properties.get("FunctionName"))
		for i := range functions {
			if functions[i].LogicalID == id {
				functions[i].onFailure = p.onFailure(res)
				functions[i].configured = append(functions[i].configured, p.predictText(res.properties.get("Qualifier")))
				id = ""
			}
		}
		if id != "" || p.functionOf(res.properties.get("FunctionName")) == "" {
			p.report.Warnf(res.key, "it is not clear which function of this template this is for, so it has no effect here; write FunctionName: !Ref Function")
		}
	}
}

// onFailure checks an EventInvokeConfig, and returns where it sends what failed, or nil.
func (p *planner) onFailure(res *resource) expr {
	p.number(res, "MaximumRetryAttempts", 2, 0, 2)
	p.number(res, "MaximumEventAgeInSeconds", 21600, 60, 21600)
	destinations, _ := p.pick(res.properties.get("DestinationConfig")).(objectExpr)
	onFailure, _ := p.pick(destinations.get("OnFailure")).(objectExpr)
	return p.pick(onFailure.get("Destination"))
}

// services are those that destinations can be of, as ARNs have them.
var services = map[string]string{"lambda": "Lambda", "sqs": "SQS", "sns": "SNS", "s3": "S3", "events": "EventBridge"}

// destinationType is the service of a destination, from the resource that it refers to or from a
// literal ARN, or "" if only the ARN will tell.
func (p *planner) destinationType(e expr) string {
	if id, _ := p.named(e); id != "" {
		service, _, _ := strings.Cut(strings.TrimPrefix(p.names.resources[id].Type, "AWS::"), "::")
		return services[strings.ToLower(service)]
	}
	arn := ""
	switch e := e.(type) {
	case sub:
		arn = e.pieces[0].text
	case literal:
		arn, _ = source.Text(e.value)
	}
	parts := strings.SplitN(arn, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return services[parts[2]]
}

// functionOf is the logical ID of the function that a name or an ARN refers to, or "": Ref or Arn
// of the function itself, of one of its versions or aliases, or its literal FunctionName.
func (p *planner) functionOf(e expr) string { return p.functionBehind(e, 1) }

// functionBehind looks behind so many versions and aliases: two can refer to each other, which is
// an error of its own.
func (p *planner) functionBehind(e expr, links int) string {
	var id string
	switch e := p.pick(e).(type) {
	case attribute:
		id = e.id
	case resourceRef:
		id = e.id
	case sub:
		for _, piece := range e.pieces {
			if found := p.functionBehind(piece.value, links); found != "" {
				return found
			}
		}
		return ""
	case literal:
		return p.functionNamed(e)
	default:
		return ""
	}
	target := p.names.resources[id]
	switch target.Type {
	case typeFunction:
		return id
	case "AWS::Lambda::Alias", "AWS::Lambda::Version":
		if links > 0 {
			return p.functionBehind(target.properties.get("FunctionName"), links-1)
		}
	}
	return ""
}

func (p *planner) functionNamed(name literal) string {
	wanted, _ := source.Text(name.value)
	for _, res := range p.template.resources {
		own, ok := res.properties.get("FunctionName").(literal)
		if !ok || res.Type != typeFunction {
			continue
		}
		if s, _ := source.Text(own.value); s == wanted || strings.HasSuffix(wanted, ":function:"+s) {
			return res.LogicalID
		}
	}
	return ""
}
