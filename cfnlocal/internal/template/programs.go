package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// requirePrograms reports each custom resource whose requests no program here would answer, as far
// as that is known before the deployment, with the flags that name one.
func (p *planner) requirePrograms(active []*resource, plan *Plan) {
	if p.stack.HasProgram == nil {
		return
	}
	// Whoever answers must be here before the stack begins: CloudFormation would wait for an hour for nobody.
	for _, res := range active {
		if !engine.IsCustomResource(res.Type) {
			continue
		}
		token := res.properties.get("ServiceToken")
		if token == nil { // a mistake, which checkCustom reports
			continue
		}
		ids := p.providers(token, plan.Subscriptions)
		for _, id := range p.withDestinations(ids, plan) {
			if f := plan.Function(id); f != nil && !p.stack.HasProgram(f, "") {
				res := p.names.resources[id]
				id = p.stack.Path + id
				p.report.Missing(res.key, []string{source.Flag("--function", id, "COMMAND")}, "the function %s has no program on this machine: its code is not a Go program here", id)
			}
		}
		// A topic's subscriber can be a function of another stack.
		subscribers := p.subscribersOf(token, plan.Subscriptions)
		for _, s := range subscribers {
			if s.FunctionID == "" {
				p.requireProvider(s.at, s.endpoint)
			}
		}
		if len(ids) == 0 && len(subscribers) == 0 {
			p.requireProvider(res.place("ServiceToken"), token)
		}
	}
}

// withDestinations are functions and those that answer for them if they die.
func (p *planner) withDestinations(ids []string, plan *Plan) []string {
	all := slices.Clone(ids)
	for _, id := range ids {
		if f := plan.Function(id); f != nil && f.onFailure != nil {
			all = append(all, p.functionOf(f.onFailure))
		}
	}
	return all
}

// given returns the value of --attribute if an expression is such an attribute, else the expression.
func (p *planner) given(e expr) expr {
	id, name := p.named(e)
	if v, given := p.attributes[id+"."+name]; given {
		return literal{v}
	}
	return e
}

// requireProvider reports a ServiceToken, or the endpoint of its topic's subscription, whose ARN
// belongs to no function or topic of this template, and for which no command was given.
func (p *planner) requireProvider(at *source.Node, token expr) {
	token = p.given(token)
	if id, name := p.named(token); id != "" {
		p.requireAttribute(at, id, name)
		return
	}
	arn, err := p.early().text(token, at, "ServiceToken")
	arn, missing := p.resolveText(arn)
	// The order matters: a guess or a hidden value must not be shown, and only what is left is an ARN to name.
	switch {
	case p.isGuess(token) && p.stack.Path == "":
		p.report.Missing(at, []string{"--function ARN=COMMAND"}, "this %s depends on a parameter whose value is missing: unless a stack here has the function, give its ARN and the command that answers", at.Name)
	case err != nil, p.isGuess(token), missing != "": // known once resources exist, or once a value is given
	case p.report.Refuses(at): // no program would change that
	case source.Hidden(arn) && !p.ofSecret(token):
		p.refuseHidden(at, arn)
	case p.template.resourceOfARN(arn, p.predictText) != nil, p.stack.HasProgram(nil, arn):
	case p.ofSecret(token): // it must not be shown
		p.report.Missing(at, []string{"--function ARN=COMMAND"}, "no program here answers requests to this %s, whose value is hidden: give its ARN and the command that answers", at.Name)
	case !isProvider(arn):
		p.refuseService(at, arn)
	default:
		p.report.Missing(at, []string{source.Flag("--function", arn, "COMMAND")}, "no program here answers requests to %s, which is not a function of this template", source.Shorten(arn))
	}
}

// isProvider reports whether an ARN is that of a function or a topic.
func isProvider(arn string) bool {
	parts := strings.Split(arn, ":")
	return len(parts) >= 6 && (parts[2] == "lambda" || parts[2] == "sns")
}

func (p *planner) refuseHidden(at *source.Node, arn string) {
	p.report.Checkf(at, "the %s %s has a newline, or another character that nobody sees; write it in one line, in quotes", at.Name, source.Shorten(arn))
}

func (p *planner) refuseService(at *source.Node, arn string) {
	p.report.Checkf(at, "%s is neither a function's ARN nor a topic's; refer to one, as in !GetAtt Function.Arn", source.Shorten(arn))
}

// requireAttribute reports a ServiceToken that is the attribute of a stand-in, whose value is made
// up. It suggests an ARN that is the same in each stack, and a command for it. It does not report an
// attribute that comes from a property or another template, which is known later.
func (p *planner) requireAttribute(at *source.Node, id, name string) {
	target := p.names.resources[id]
	switch {
	case name == "", name == "Arn", !strings.HasPrefix(target.Type, "AWS::"), engine.IsCustomResource(target.Type):
		return
	case target.properties.get(name) != nil, p.hasOwnTemplate(target):
		return
	}
	arn := "arn:" + p.pseudo["AWS::Partition"].(string) + ":lambda:" + p.pseudo["AWS::Region"].(string) + ":" + p.pseudo["AWS::AccountId"].(string) + ":function:" + id
	p.report.Missing(at, []string{source.Flag("--attribute", p.stack.Path+id+"."+name, arn), source.Flag("--function", arn, "COMMAND")},
		"no program here answers requests to the attribute %s of %s, which is made up: give it an ARN, and a command for that ARN", source.Shorten(name), id)
}

// Names reports whether an ARN is that of a function or a topic whose name the template has as a
// literal.
func (t *Template) Names(arn string) bool {
	return t.resourceOfARN(arn, func(name expr) string {
		l, _ := name.(literal)
		s, _ := source.Text(l.value)
		return s
	}) != nil
}

// resourceOfARN returns the function or the topic whose name an ARN has, or nil. textOf returns the text of a
// name.
func (t *Template) resourceOfARN(arn string, textOf func(expr) string) *resource {
	parts := strings.Split(arn, ":")
	if len(parts) < 6 {
		return nil
	}
	typ, property, name := "AWS::SNS::Topic", "TopicName", parts[5]
	if len(parts) > 6 { // or a version or an alias of it
		typ, property, name = typeFunction, "FunctionName", parts[6]
	}
	i := slices.IndexFunc(t.resources, func(res *resource) bool {
		return res.Type == typ && textOf(res.properties.get(property)) == name
	})
	if i < 0 {
		return nil
	}
	return t.resources[i]
}

// isGuess reports whether an expression depends on a parameter whose value is missing, or on the name
// of a nested stack that is not created yet.
func (d *decisions) isGuess(e expr) (is bool) {
	unnamed := d.stack.Later != nil && d.stack.Path != "" // a nested stack that does not exist yet
	d.budget.walk(e, d.conditions, func(e expr) {
		pseudo, _ := e.(pseudoRef)
		namesStack := pseudo.name == "AWS::StackName" || pseudo.name == "AWS::StackId"
		is = is || unnamed && namesStack
	})
	return is || d.dependsOn(e, func(parameter string) bool { return d.guessed[parameter] })
}

// dependsOn reports whether an expression depends on a parameter for which is reports true.
func (d *decisions) dependsOn(e expr, is func(parameter string) bool) (does bool) {
	d.budget.walk(e, d.conditions, func(e expr) {
		ref, ok := e.(parameterRef)
		does = does || ok && is(ref.name)
	})
	return does
}

// providerTypes are the types whose own ARN, as Ref or as the attribute Arn, can be a ServiceToken.
var providerTypes = []string{typeFunction, "AWS::Lambda::Alias", "AWS::Lambda::Version", "AWS::SNS::Topic"}

// checkToken refuses a ServiceToken that is the ARN or the name of an AWS resource that cannot
// answer requests. Other attributes may be the ARN of a function, such as the outputs of a nested
// stack, and so may a value given with --attribute.
func (p *planner) checkToken(res *resource) {
	id, name := p.named(res.properties.get("ServiceToken"))
	target := p.names.resources[id]
	switch {
	case target == nil, slices.Contains(providerTypes, target.Type):
		return
	case name != "" && name != "Arn":
		return
	}
	// A type that is not AWS's, and a nested stack, can have the ARN of a function as an attribute.
	_, given := p.attributes[id+"."+name]
	isService := strings.HasPrefix(target.Type, "AWS::") && !strings.HasPrefix(target.Type, "AWS::CloudFormation::")
	if given || !isService {
		return
	}
	advice := "; refer to one, as in !GetAtt Function.Arn"
	if near := source.Nearest(target.Type, slices.Values([]string{sam.Function, typeFunction, "AWS::SNS::Topic"})); near != "" {
		advice = "; did you mean " + near + "?"
	}
	p.report.Errorf(res.place("ServiceToken"), "%s is an %s, which is neither a function nor a topic%s", id, source.Shorten(target.Type), advice)
}

// named returns the resource to which an expression is only a reference, with the attribute, or "" for
// Ref.
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
		isOneValue := len(e.values) == 1 && len(e.pieces) == 3 // with a text before and after it
		if isOneValue && e.written() == "" {
			return p.named(e.values[0])
		}
	}
	return "", ""
}
