package template

import (
	"errors"
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Stack is what a template needs to know of the stack that is made from it.
type Stack struct {
	AccountID, Region, StackID, StackName string
	Partition                             string // "" is the one of the region: aws, aws-cn or aws-us-gov
	// Parameters are the values that are given; the defaults stand for the others.
	Parameters map[string]string
	// Attributes are values for attributes of stand-ins, by RESOURCE.ATTRIBUTE: a JSON array is a
	// list, anything else text.
	Attributes map[string]string
	// Nested says what takes the place of a nested stack, by its logical ID: the name of another
	// stack, or StandIn.
	Nested map[string]string
	// Open returns what a nested stack is deployed from, by the path of its template as this one
	// has it; false if there is no such file. Without it there are none.
	Open func(path string) (engine.Source, bool)
	// Exports are the values that other stacks export, by the names of the exports, for
	// Fn::ImportValue.
	Exports map[string]string
	// Runs says whether a program answers the requests that are sent to a function of the template,
	// or else to an ARN. Without it all are answered.
	Runs func(f *Function, arn string) bool
	// Store stands in for Systems Manager's Parameter Store: names and values for parameters of the
	// types AWS::SSM::Parameter::Value<…>, and for {{resolve:ssm:NAME}}. Lists are comma-delimited.
	Store ParameterStore
}

// Plan is a template for one stack. What it holds is safe for concurrent use.
type Plan struct {
	engine.Template // the resources whose conditions hold, in the order of the file
	Description     string
	Parameters      []ParameterValue
	Functions       []Function
	Subscriptions   []Subscription
	Imports         []string // the exports of other stacks that this one uses, sorted, each once
	// NoEcho are values that are not to be shown: those of parameters with NoEcho. Secrets is where
	// properties hold what was made of them, by logical ID.
	NoEcho  []string
	Secrets map[string][]SecretPath
	// Customs and Attributes are the custom resources and what is asked of them, as far as they are
	// known.
	Customs    []Custom
	Attributes []Attribute
	// Capabilities are what CreateStack and UpdateStack want acknowledged, one for each resource
	// that needs one.
	Capabilities []string
	// Warnings are of the template and of this use of it, in the order of the file.
	Warnings []Warning

	conditions map[string]bool
}

// Resolve settles parameters and conditions and yields what the engine plays. The error is an
// [Errors].
func (t *Template) Resolve(stack Stack) (*Plan, error) {
	r := &source.Report{File: t.report.File, Warnings: slices.Clone(t.report.Warnings), Accepted: t.report.Accepted}
	d := &decisions{report: r, budget: new(budget), pseudo: stack.pseudo(), stack: stack}
	values, shown, guessed := settleParameters(t.parameters, stack.Parameters, stack.Store, r)
	d.parameters, d.guessed = values, guessed
	if err := r.Err(); err != nil {
		if len(r.Errors) == len(guessed) {
			r.Errors = append(r.Errors, t.missingBeside(*d)...)
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

// missingBeside is what is missing beside values of parameters, as far as it does not depend on
// them.
func (t *Template) missingBeside(d decisions) (all []*Error) {
	d.report = &source.Report{File: t.report.File, Accepted: t.report.Accepted}
	_, err := t.settle(&d)
	if errs, ok := errors.AsType[Errors](err); ok {
		for _, e := range errs {
			if e.Give != nil {
				all = append(all, e)
			}
		}
	}
	return all
}

// settle decides what does not depend on the values of resources.
func (t *Template) settle(d *decisions) (*Plan, error) {
	r := d.report
	if t.extended != nil {
		full := &Template{report: r, transformed: true}
		parse(t.extended, full, d)
		t = full
	} else {
		decide(t.names.conditions, d)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	d.assert(t.rules)
	if err := r.Err(); err != nil {
		return nil, err
	}
	p := &planner{decisions: d, template: t, names: t.names, imports: map[string]bool{}, policies: map[string]*rolePolicies{}}
	p.attributes = p.attributesGiven(d.stack.Attributes)
	plan := p.plan()
	plan.Description = t.Description
	if err := r.Err(); err != nil {
		return nil, err
	}
	plan.Warnings = r.SortedWarnings()
	return plan, nil
}

// planner turns a checked template into a plan, with everything decided.
type planner struct {
	*decisions
	names    names
	template *Template
	imports  map[string]bool          // names of exports that are used
	policies map[string]*rolePolicies // of roles
}

func (p *planner) plan() *Plan {
	plan := &Plan{conditions: p.conditions, NoEcho: p.noEcho(), Secrets: map[string][]SecretPath{}}
	// What is part of the stack, and what needs what.
	g := new(dependencyGraph)
	var active []*resource
	for _, res := range p.template.resources {
		if p.includes(res.condition) {
			active = append(active, res)
			g.add(res.LogicalID)
			p.checkProperties(res)
			if res.condition != "" {
				(&compiler{Report: p.report, names: p.names}).checkCustom(res)
			}
		}
	}
	for _, res := range active {
		for _, n := range p.needs(res) {
			g.need(res.LogicalID, n.name, n.at)
		}
	}
	plan.AllOff = len(active) == 0
	if p.template.transformed {
		plan.Capabilities = append(plan.Capabilities, capabilityAutoExpand)
	}
	g.reportCycle(p.report, "resources")
	// The resources, in the order of the file.
	for _, res := range active {
		if paths := p.secrets(res.properties, nil); len(paths) > 0 {
			plan.Secrets[res.LogicalID] = paths
		}
		plan.Resources = append(plan.Resources, p.resource(res, g.of(res.LogicalID)))
		if c := capabilityOf(res.Type, res.properties.names); c != "" {
			plan.Capabilities = append(plan.Capabilities, c)
		}
		if res.Type == typeFunction {
			plan.Functions = append(plan.Functions, p.function(res))
		}
		if res.Type == typeStack {
			plan.Resources[len(plan.Resources)-1].Nested = p.nested(res)
		}
	}
	// What resources say of others.
	for i := range plan.Functions {
		f := &plan.Functions[i]
		grant := p.selfInvocation(p.names.resources[f.LogicalID], active)
		f.SelfInvocationDenied, f.named = grant.denied(), grant.named
	}
	p.eventInvokeConfigs(active, plan.Functions)
	plan.Subscriptions = p.subscriptions(active)
	plan.Customs, plan.Attributes = p.customResources(active, plan.Subscriptions), p.attributesOf(active)
	p.requirePrograms(active, plan)
	// Outputs, and the exports that they and the resources use.
	exports := map[string]string{}
	for _, o := range p.template.outputs {
		if p.includes(o.condition) {
			out := p.output(o)
			if first := exports[out.ExportName]; first != "" && out.ExportName != "" {
				p.report.Checkf(o.at, "the output %s exports the same name as the output %s; a name is exported once", source.Shorten(o.name), source.Shorten(first))
			}
			exports[out.ExportName] = o.name
			plan.Outputs = append(plan.Outputs, out)
		}
	}
	plan.Imports = slices.Sorted(maps.Keys(p.imports))
	p.advise(active, plan.Functions, plan.Subscriptions)
	return plan
}

// includes says whether a resource or output is part of the stack.
func (p *planner) includes(condition string) bool {
	return condition == "" || p.conditions[condition]
}

// needs are the resources that one refers to, or names in DependsOn. A name in DependsOn whose
// condition does not hold is left out; a reference to such a resource is an error, as in
// CloudFormation.
func (p *planner) needs(res *resource) []dependency {
	needs := p.references(res.properties, "Resources")
	needs = append(needs, p.references(res.metadata, "Resources")...)
	for _, n := range res.dependsOn {
		if p.includes(p.names.resources[n.name].condition) {
			needs = append(needs, n)
		}
	}
	return needs
}

// references are the resources that an expression refers to, without the branches that are not
// taken.
func (p *planner) references(e expr, section string) []dependency {
	var needs []dependency
	walk(e, p.conditions, func(e expr) {
		var n dependency
		switch e := e.(type) {
		case imported:
			p.importing(e)
			return
		case parameterRef:
			p.requireStored(e)
			return
		case attribute:
			n = dependency{name: e.id, at: e.at}
			p.outputOf(e)
		case resourceRef:
			n = dependency{name: e.id, at: e.at}
		default:
			return
		}
		if condition := p.names.resources[n.name].condition; !p.includes(condition) {
			p.report.Errorf(n.at, "the resource %s is not part of this stack, since its condition %s does not hold, and %s refer to it here; write !If [%s, the reference, another value or !Ref AWS::NoValue]", n.name, condition, section, condition)
			return
		}
		needs = append(needs, n)
	})
	return needs
}

func (p *planner) resource(res *resource, needs []dependency) engine.Resource {
	out := engine.Resource{LogicalID: res.LogicalID, Type: res.Type}
	out.DeletionPolicy = p.policy(res.deletionPolicy, res.at.Get("DeletionPolicy"), deletionPolicies)
	out.UpdateReplacePolicy = p.policy(res.updateReplacePolicy, res.at.Get("UpdateReplacePolicy"), updateReplacePolicies)
	p.checkSnapshot(res, out.DeletionPolicy, out.UpdateReplacePolicy)
	for _, n := range needs {
		out.DependsOn = append(out.DependsOn, n.name)
	}
	slices.Sort(out.DependsOn)
	p.checkDynamic(res)
	out.Properties = func(refs engine.Refs) (map[string]any, error) {
		ev := p.begin("Resources/"+res.LogicalID, refs)
		v, err := res.properties.eval(ev)
		if err != nil {
			return nil, err
		}
		properties, err := p.resolveDynamic(ev, res, v.(map[string]any)) // an objectExpr gives nothing else
		if err != nil {
			return nil, err
		}
		if engine.IsCustomResource(res.Type) {
			return properties, p.checkResolved(ev, res, properties)
		}
		return properties, nil
	}
	return out
}

// begin begins an evaluation while the stack runs.
func (p *planner) begin(owner string, refs engine.Refs) *evaluation {
	p.budget.begin(owner)
	return &evaluation{decisions: p.decisions, refs: refs, owner: owner}
}

// checkResolved checks of a custom resource what could not be checked in the template.
func (p *planner) checkResolved(ev *evaluation, res *resource, properties map[string]any) error {
	if token, ok := source.Text(properties["ServiceToken"]); !ok || token == "" {
		return ev.fail(p.place(res, "ServiceToken"), "ServiceToken must be an ARN, and here is %s", describe(properties["ServiceToken"]))
	}
	if timeout, given := properties["ServiceTimeout"]; given && !isTimeout(timeout) {
		return ev.fail(p.place(res, "ServiceTimeout"), "ServiceTimeout is a whole number of seconds from 1 to 3600")
	}
	return nil
}

func (p *planner) output(o *output) engine.Output {
	out := engine.Output{Name: o.name, Description: o.description}
	p.settle(o.value)
	p.references(o.value, "Outputs")
	if o.export != nil {
		name, err := (&evaluation{decisions: p.decisions}).text(o.export, o.at, "the Name of an export")
		switch {
		case err != nil:
			p.report.Add(err)
		case !exportName.MatchString(name) && !p.isGuess(o.export):
			p.report.Checkf(o.at, "the Name of an export is made of letters, digits, colons and hyphens only, and this one has others; write Export: {Name: !Sub \"${AWS::StackName}:Name\"}")
		}
		out.ExportName = name
	}
	out.Value = func(refs engine.Refs) (any, error) {
		ev := p.begin("Outputs/"+o.name, refs)
		v, err := o.value.eval(ev)
		if err != nil {
			return nil, err
		}
		if _, err := engine.OutputText(v); err != nil {
			return nil, ev.wrap(o.at, err)
		}
		return v, nil
	}
	return out
}
