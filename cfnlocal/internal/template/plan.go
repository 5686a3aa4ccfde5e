package template

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

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
	active := p.active()
	plan.AllOff = len(active) == 0
	plan.Published = p.names.published()
	if p.template.transformed {
		plan.Capabilities = append(plan.Capabilities, capabilityAutoExpand)
	}

	// All dependencies come before the first resource: a circle makes each of its resources wrong.
	g := new(dependencyGraph)
	for _, res := range active {
		g.order = append(g.order, res.LogicalID)
		for _, n := range p.needs(res) {
			g.need(res.LogicalID, n.name, n.at)
		}
	}
	g.reportCycle(p.report, "resources")
	for _, res := range active {
		p.addResource(plan, res, g.needs[res.LogicalID])
	}

	// A function's configuration can stand anywhere in the file, so it is read once all functions are known.
	for i := range plan.Functions {
		f := &plan.Functions[i]
		function := p.names.resources[f.LogicalID]
		grant := p.invocation(function, function, active)
		f.SelfInvocationDenied, f.named = grant.denied(), grant.named
	}
	p.eventInvokeConfigs(active, plan)

	// Attributes are made up in the form that the resources take before custom resources read them.
	for _, res := range active {
		p.shape(res.properties)
	}
	plan.Subscriptions = p.subscriptions(active)
	plan.Customs, plan.Attributes = p.customResources(active, plan.Subscriptions), p.attributesOf(active)
	p.requirePrograms(active, plan)

	// The resources and the outputs have noted the exports that they use.
	p.addOutputs(plan)
	plan.Imports = slices.Sorted(maps.Keys(p.imports))
	p.advise(active, plan)
	return plan
}

// active returns the resources whose condition holds, in the order of the file. It checks what can be checked once
// the conditions are decided.
func (p *planner) active() (all []*resource) {
	for _, res := range p.template.resources {
		if !p.includes(res.condition) {
			continue
		}
		all = append(all, res)
		p.checkProperties(res)
		if res.condition != "" { // else it was checked already
			(&compiler{Report: p.report, names: p.names, budget: p.budget}).checkCustom(res)
		}
	}
	return all
}

// addResource adds a resource to a plan, with its secrets, the capability that it needs, and what is behind it.
func (p *planner) addResource(plan *Plan, res *resource, needs []dependency) {
	if paths := p.secrets(res.properties, nil); len(paths) > 0 {
		plan.Secrets[res.LogicalID] = paths
	}
	out := p.resource(res, needs)
	if c := capabilityOf(res.Type, res.properties.names); c != "" {
		plan.Capabilities = append(plan.Capabilities, c)
	}
	switch res.Type {
	case typeFunction:
		plan.Functions = append(plan.Functions, p.function(res))
	case typeStack:
		out.Nested = p.nested(res)
	}
	plan.Resources = append(plan.Resources, out)
}

// addOutputs adds the outputs whose condition holds to a plan.
func (p *planner) addOutputs(plan *Plan) {
	exports := map[string]string{}
	for _, o := range p.template.outputs {
		if !p.includes(o.condition) {
			continue
		}
		p.shape(o.value)
		out := p.output(o)
		// CloudFormation refuses a second export of a name, also within one stack.
		if first := exports[out.ExportName]; first != "" && out.ExportName != "" {
			p.report.Checkf(o.at, "the output %s exports the same name as the output %s; a name is exported once", source.Shorten(o.name), source.Shorten(first))
		}
		exports[out.ExportName] = o.name
		plan.Outputs = append(plan.Outputs, out)
	}
}

// includes reports whether a resource or output is part of the stack.
func (p *planner) includes(condition string) bool {
	return condition == "" || p.conditions[condition]
}

// needs are the resources that a resource refers to, or names in DependsOn. It leaves out a name in
// DependsOn whose condition does not hold; a reference to such a resource is an error, as in
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

// published are the versions that SAM makes, and their functions.
func (n names) published() map[string]string {
	all := map[string]string{}
	for reference, id := range n.references {
		if function, is := strings.CutSuffix(reference, ".Version"); is {
			all[id] = function
		}
	}
	return all
}

// references are the resources that an expression refers to, without the branches that are not
// taken.
func (p *planner) references(e expr, section string) []dependency {
	var needs []dependency
	p.budget.walk(e, p.conditions, func(e expr) {
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
		// CloudFormation refuses a reference to a resource that does not exist, whatever made it so.
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
	// The engine asks when it sends the request: by then the resources that this one refers to exist.
	out.Properties = func(refs engine.Refs) (map[string]any, error) {
		ev := p.begin("Resources/"+res.LogicalID, refs)
		v, err := ev.eval(res.properties)
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

// checkResolved checks the values of a custom resource that were not known in the template.
func (p *planner) checkResolved(ev *evaluation, res *resource, properties map[string]any) error {
	if token, ok := source.Text(properties["ServiceToken"]); !ok || token == "" {
		return ev.fail(res.place("ServiceToken"), "ServiceToken must be an ARN, not %s", describe(properties["ServiceToken"]))
	}
	if timeout, given := properties["ServiceTimeout"]; given && !isTimeout(timeout) {
		return ev.fail(res.place("ServiceTimeout"), "ServiceTimeout must be a whole number of seconds from 1 to 3600")
	}
	return nil
}

const maxOutputs = 200 // CloudFormation's quota

// exportName matches the names that CloudFormation's error about the name of an export allows.
var exportName = regexp.MustCompile(`^[A-Za-z0-9:-]+$`)

type output struct {
	name, description string
	at                *source.Node
	condition         string
	value             expr
	export            expr // nil if it is not exported
}

func (c *compiler) compileOutputs(section *source.Node) []*output {
	c.section = inOutputs
	fields := c.Fields(section)
	if len(fields) > maxOutputs {
		c.Errorf(section, "a template has at most %d outputs, and this one has %d", maxOutputs, len(fields))
		return nil
	}
	var all []*output
	for _, f := range fields {
		c.CheckName(f.Key, "an output")
		if strings.HasPrefix(f.Name(), "Fn::") {
			continue
		}
		// An output without a Value.
		if f.Value.Kind != source.Object || f.Value.Get("Value") == nil {
			c.Errorf(f.Value, "an output needs a Value; write %s: {Value: !Ref LogicalID}", source.Shorten(f.Name()))
			continue
		}
		c.CheckKeys(f.Value, "an output", []string{"Value", "Description", "Export", "Condition"})
		// Its value, its condition, and the name by which other stacks import it.
		o := &output{name: f.Name(), at: f.Value, description: c.Description(f.Value.Get("Description"))}
		o.value = c.textual(f.Value.Get("Value"), "the Value of an output")
		if condition := f.Value.Get("Condition"); condition != nil {
			o.condition, _ = c.conditionName(condition, "Condition: Name")
		}
		if export := f.Value.Get("Export"); export != nil {
			if name := export.Get("Name"); name == nil || len(export.Fields) != 1 {
				c.Errorf(export, "Export must be an object with a Name and nothing else; write Export: {Name: name}")
			} else {
				o.export = c.textual(name, "the Name of an export")
				c.checkExportName(name, o.export)
			}
		}
		all = append(all, o)
	}
	return all
}

func (p *planner) output(o *output) engine.Output {
	out := engine.Output{Name: o.name, Description: o.description}
	p.settle(o.value)
	p.references(o.value, "Outputs")
	if o.export != nil {
		// The name must be known before anything starts: others import it, and it must be free.
		name, err := p.early().text(o.export, o.at, "the Name of an export")
		switch {
		case p.isGuess(o.export):
		case err != nil:
			p.report.Add(err)
		case !exportName.MatchString(name):
			p.report.Checkf(o.at, "the Name of an export is made of letters, digits, colons and hyphens only, and this one has others; write Export: {Name: !Sub \"${AWS::StackName}:Name\"}")
		}
		out.ExportName = name
	}
	// CloudFormation resolves outputs last, and a value that is no text fails the stack then.
	out.Value = func(refs engine.Refs) (any, error) {
		ev := p.begin("Outputs/"+o.name, refs)
		v, err := ev.eval(o.value)
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

// dependencyGraph has the needs of each name, with their places.
type dependencyGraph struct {
	order []string                // of the file, in which circles are looked for
	needs map[string][]dependency // of each name, without duplicates
	known map[[2]string]bool      // the pairs in needs
}

// dependency is a name that another one needs, and the place of that need.
type dependency struct {
	name string
	at   *source.Node
}

// need adds that one name needs another.
func (g *dependencyGraph) need(from, to string, at *source.Node) {
	if g.needs == nil {
		g.needs, g.known = map[string][]dependency{}, map[[2]string]bool{}
	}
	if pair := [2]string{from, to}; !g.known[pair] {
		g.known[pair] = true
		g.needs[from] = append(g.needs[from], dependency{to, at})
	}
}

// reportCycle reports each circle once, with the names along it and the place that closes it.
func (g *dependencyGraph) reportCycle(r *source.Report, what string) {
	done, onPath := map[string]bool{}, map[string]int{} // the place on the path, from 1
	// A name that is on the path again closes a circle; one that is done leads to none that is not reported.
	var path []string
	var visit func(name string)
	visit = func(name string) {
		if done[name] {
			return
		}
		path = append(path, name)
		onPath[name] = len(path)
		for _, n := range g.needs[name] {
			if at := onPath[n.name]; at > 0 {
				r.Errorf(n.at, "circular dependency between %s: %s -> %s; remove one of these references", what, shortened(path[at-1:]), n.name)
				continue
			}
			visit(n.name)
		}
		path, onPath[name], done[name] = path[:len(path)-1], 0, true
	}
	for _, name := range g.order {
		visit(name)
	}
}

// shortened is the names along a path, without the middle of a very long one.
func shortened(path []string) string {
	const most = 20
	if len(path) >= most {
		path = slices.Concat(path[:most/2], []string{"…"}, path[len(path)-(most/2-1):])
	}
	return strings.Join(path, " -> ")
}
