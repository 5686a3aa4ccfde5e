package template

import (
	"errors"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Stack has the facts about a stack that its template needs.
type Stack struct {
	AccountID, Region, StackID, StackName string
	// Parameters are the given values; the other parameters have their defaults.
	Parameters map[string]string
	// Attributes are values for attributes of stand-ins, by RESOURCE.ATTRIBUTE: a JSON array is a
	// list, anything else text.
	Attributes map[string]string
	// Nested has the replacements of nested stacks, by logical ID: the name of another stack, or
	// StandIn.
	Nested map[string]string
	// Open returns the template of a nested stack, by the path in this template; false if there is no
	// such file. Nil is for no files.
	Open func(path string) (engine.Source, bool)
	// Path is the nested stack's name as seen from the root, with a dot after it, or "".
	Path string
	// Later are the parameters whose values are missing, or those of a nested stack that depend on
	// resources of its parent. It is nil unless the template is only searched for mistakes.
	Later map[string]bool
	// Needs returns the missing values of a nested stack, by its Path without the dot, its template, and
	// its Later. It is called before the deployment, if it is not nil.
	Needs func(path string, from engine.Source, later map[string]bool) Errors
	// Exports are the values that other stacks export, by the names of the exports, for
	// Fn::ImportValue.
	Exports map[string]string
	// HasProgram reports whether a program answers the requests to a function of the template or, if f is
	// nil, to an ARN. If it is nil, all requests are answered.
	HasProgram func(f *Function, arn string) bool
	// Store stands in for Systems Manager's Parameter Store: names and values for parameters of the
	// types AWS::SSM::Parameter::Value<…>, and for {{resolve:ssm:NAME}}. Lists are comma-delimited.
	Store ParameterStore

	otherwise bool // the assumed value of conditions that depend on Later
}

// Plan is a template for one stack. Its parts are safe for concurrent use.
type Plan struct {
	engine.Template // the resources whose conditions hold, in the order of the file
	Description     string
	Parameters      []ParameterValue
	Functions       []Function
	Subscriptions   []Subscription
	Published       map[string]string // the versions that SAM makes of the functions' code, and those functions
	Imports         []string          // the exports of other stacks that this one uses, sorted, each once
	// NoEcho are the values of parameters with NoEcho, which must not be shown. Secrets has the paths of
	// properties with values made from them, by logical ID.
	NoEcho  []string
	Secrets map[string][]SecretPath
	// Customs and Attributes are the custom resources, and the references to their attributes, as
	// far as they are known.
	Customs    []Custom
	Attributes []Attribute
	// Capabilities are the capabilities that CreateStack and UpdateStack require, one for each
	// resource that needs one.
	Capabilities []string
	// Warnings are of the template and of this use of it, in the order of the file.
	Warnings []Warning

	conditions map[string]bool
}

// Function returns the function with a logical ID, or nil.
func (p *Plan) Function(logicalID string) *Function {
	for i := range p.Functions {
		if p.Functions[i].LogicalID == logicalID {
			return &p.Functions[i]
		}
	}
	return nil
}

// Resolve settles parameters and conditions, and returns the plan for the engine. The error is an
// [Errors].
func (t *Template) Resolve(stack Stack) (*Plan, error) { return t.resolve(stack, new(budget)) }

func (t *Template) resolve(stack Stack, work *budget) (*Plan, error) {
	r := &source.Report{File: t.report.File, Warnings: slices.Clone(t.report.Warnings), Accepted: t.report.Accepted}
	d := &decisions{report: r, budget: work, pseudo: stack.pseudo(), stack: stack}
	values, shown, guessed := settleParameters(t.parameters, stack, r, work)
	d.parameters, d.guessed, d.unstored = values, guessed, unstored(values, shown)
	d.requireDeciding(t.names.conditions)
	if err := r.Err(); err != nil {
		missing := 0
		for name := range guessed {
			if !stack.Later[name] {
				missing++
			}
		}
		if len(r.Errors) == missing {
			stack.Later = guessed
			r.Errors = append(r.Errors, t.whateverHolds(stack, func(e *Error) bool { return e.Give != nil || t.extended == nil })...)
		}
		return nil, r.Err()
	}
	plan, err := t.settle(d)
	if err != nil {
		return nil, err
	}
	plan.Parameters = shown
	return plan, nil
}

// Missing returns the missing values of a nested stack whose parent is not deployed yet.
func (t *Template) Missing(stack Stack) Errors {
	return t.whateverHolds(stack, func(e *Error) bool { return e.Give != nil })
}

// whateverHolds returns those wanted errors that occur whatever the values of the parameters in Later. It
// leaves out errors that occur only if conditions that depend on them hold, or only if they do not. In a
// template with transforms, it leaves out errors that an empty loop may cause.
func (t *Template) whateverHolds(stack Stack, wanted func(*Error) bool) Errors {
	errorsIf := func(otherwise bool) Errors {
		stack.otherwise = otherwise
		_, err := t.Resolve(stack)
		errs, _ := errors.AsType[Errors](err)
		return errs
	}
	if len(stack.Later) == 0 {
		return slices.DeleteFunc(errorsIf(false), func(e *Error) bool { return !wanted(e) })
	}
	// An error counts only if it comes whether the open conditions hold or not.
	other := errorsIf(true)
	return slices.DeleteFunc(errorsIf(false), func(e *Error) bool {
		if !wanted(e) {
			return true
		}
		inBoth := slices.ContainsFunc(other, func(o *Error) bool { return o.Position == e.Position && o.Text == e.Text })
		return !inBoth
	})
}

// settle decides everything that does not depend on the values of resources.
func (t *Template) settle(d *decisions) (*Plan, error) {
	r := d.report
	if t.extended != nil {
		full := &Template{report: r, transformed: true}
		parse(t.extended, full, d)
		t = full
	} else {
		decide(t.names.conditions, d)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	d.assert(t.rules)
	p := &planner{decisions: d, template: t, names: t.names, imports: map[string]bool{}, policies: map[string]*rolePolicies{}}
	p.attributes, p.shaped = p.attributesGiven(d.stack.Attributes), map[string]any{}
	plan := p.plan()
	plan.Description = t.Description
	if err := d.err(); err != nil {
		return nil, err
	}
	plan.Warnings = r.SortedWarnings()
	return plan, nil
}

// checkProperties checks a resource's properties as far as they are known. It skips resources that SAM
// makes: they have the properties of SAM's own types, or are made as AWS accepts them.
func (p *planner) checkProperties(res *resource) {
	given := map[string]*source.Node{}
	for i, name := range res.properties.names {
		p.settle(res.properties.values[i])
		if p.pick(res.properties.values[i]) != nil {
			given[name] = res.at.Get("Properties").Fields[i].Value
			if !res.transformed && res.spec != nil {
				p.checkValue(res.spec.Properties[name].Takes, res.properties.values[i], given[name], res.spec)
			}
		}
	}
	if !res.transformed {
		res.spec.checkProperties(given, res.key, p.report)
	}
}

// settle evaluates expressions that wait for no resource, such as Fn::FindInMap with a parameter's value
// for a key: AWS reports mistakes in them before anything starts. It skips branches that are not taken.
func (p *planner) settle(e expr) {
	if !p.settleParts(e) {
		p.settled(e)
	}
}

// settleParts reports whether an expression waits for a resource. If it does, settleParts evaluates the
// parts that do not.
func (p *planner) settleParts(e expr) (waits bool) {
	if !p.budget.step() {
		return false
	}
	switch e := e.(type) {
	case nil, literal, noValue:
		return false
	case attribute, resourceRef, imported: // importing reports the errors of an import
		return true
	case parameterRef: // requireStored reports values missing in Parameter Store
		_, known := p.parameters[e.name]
		return !known
	}
	parts := e.parts(p.conditions)
	waiting := make([]bool, len(parts))
	for i, part := range parts {
		waiting[i] = p.settleParts(part)
		waits = waits || waiting[i]
	}
	for i, part := range parts {
		if waits && !waiting[i] {
			p.settled(part)
		}
	}
	return waits
}

func (p *planner) settled(e expr) {
	if e == nil {
		return
	}
	if p.stack.Later != nil && p.isGuess(e) {
		return
	}
	if _, err := p.early().eval(e); err != nil && !p.report.Accepted {
		p.report.Add(err)
	}
}
