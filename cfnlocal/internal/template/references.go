package template

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// ref compiles Ref: to the value of a parameter, or to the physical ID of a resource.
type ref struct{}

func (ref) compile(c *compiler, f call) expr {
	name, ok := c.static(f.argument, "the name that Ref takes", "Ref takes the name of a parameter or a resource, not %s; write !Ref Name")
	if !ok {
		return invalidExpr{}
	}
	return c.named(f.at, name)
}

// named compiles a reference by name, written as Ref or within Fn::Sub.
func (c *compiler) named(at *source.Node, name string) expr {
	if id := c.references[name]; id != "" {
		name = id
	}
	// A name is a parameter's before it is a resource's. What is early has no resources yet.
	switch {
	case name == "AWS::NoValue":
		return noValue{}
	case strings.HasPrefix(name, "AWS::"):
		all := Stack{}.pseudo()
		if _, known := all[name]; !known {
			all["AWS::NoValue"] = nil
			c.Errorf(at, "%s is not a pseudo parameter%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(all)))
		}
		return pseudoRef{at, name}
	case c.parameters[name] != nil:
		return parameterRef{at, name}
	case c.resources[name] == nil:
		if id, attribute, dotted := strings.Cut(name, "."); dotted && c.resources[id] != nil {
			return c.invalid(at, "Ref takes only a name, not an attribute; write !GetAtt %s.%s", id, source.Shorten(attribute))
		}
		return c.invalid(at, "there is no parameter and no resource %s%s", source.Shorten(name), source.DidYouMean(name, c.referable()))
	case c.section.early():
		return c.tooEarly(at, name)
	}
	return resourceRef{at, name}
}

// referable are the names that a reference can give at this place.
func (c *compiler) referable() iter.Seq[string] {
	all := slices.Collect(maps.Keys(c.parameters))
	if !c.section.early() {
		all = slices.AppendSeq(all, maps.Keys(c.resources))
	}
	return slices.Values(all)
}

// parameterRef is the value of a parameter: a string, or a list of strings. Only rules can work with an
// unknown value.
type parameterRef struct {
	at   *source.Node
	name string
}

func (p parameterRef) eval(ev *evaluation) (any, error) {
	v, known := ev.parameters[p.name]
	// Rules are checked before the values are complete; everything else needs the value.
	isOpen := !known || ev.guessed[p.name]
	switch {
	case ev.rules && isOpen:
		return unknown{}, nil
	case known:
		return ev.copy(v, p.at)
	}
	return nil, ev.notStored(p.at, p.name)
}

func (parameterRef) parts(map[string]bool) []expr { return nil }

// requireStored reports the use of a parameter whose value is in Parameter Store and not here.
func (p *planner) requireStored(ref parameterRef) {
	if _, known := p.parameters[ref.name]; !known {
		p.report.Add(p.notStored(ref.at, ref.name))
	}
}

// requireDeciding reports such parameters of conditions with the parameters that have no value: nothing else
// is decided before.
func (d *decisions) requireDeciding(conditions map[string]expr) {
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		d.budget.walk(conditions[name], nil, func(e expr) {
			ref, is := e.(parameterRef)
			isUnstored := is && d.unstored[ref.name] != ""
			if isUnstored && !d.guessed[ref.name] { // each once
				d.report.Add(d.notStored(ref.at, ref.name))
				d.guessed[ref.name] = true
			}
		})
	}
}

// unstored returns the parameters whose values are in Parameter Store and not here, and the names there.
func unstored(values map[string]any, shown []ParameterValue) map[string]string {
	all := map[string]string{}
	for _, v := range shown {
		if _, known := values[v.Name]; !known {
			all[v.Name] = source.Shorten(v.Value)
			if v.NoEcho {
				all[v.Name] = "NAME"
			}
		}
	}
	return all
}

// notStored is the error for such a use, with the flag that gives the value.
func (d *decisions) notStored(at *source.Node, parameter string) error {
	name := d.unstored[parameter]
	err := d.report.NewError(at, "the parameter %s is read from Parameter Store, which is not available here; give the value with --ssm %s=VALUE", parameter, name)
	err.Give = []string{source.Flag("--ssm", name, "VALUE")}
	return err
}

type pseudoRef struct {
	at   *source.Node
	name string
}

func (p pseudoRef) eval(ev *evaluation) (any, error) { return ev.copy(ev.pseudo[p.name], p.at) }
func (pseudoRef) parts(map[string]bool) []expr       { return nil }

// resourceRef is the physical ID of a resource, which the engine knows.
type resourceRef struct {
	at *source.Node
	id string
}

func (r resourceRef) eval(ev *evaluation) (any, error) {
	if v, given := ev.attributes[r.id+".Ref"]; given && ev.refs != nil {
		return ev.copy(v, r.at)
	}
	return ev.ask(r.at, r.id, func() (any, error) { return ev.refs.Ref(r.id) })
}

func (resourceRef) parts(map[string]bool) []expr { return nil }

// ask asks the engine for the ID or an attribute of a resource.
func (ev *evaluation) ask(at *source.Node, id string, ask func() (any, error)) (any, error) {
	if ev.refs == nil {
		return nil, ev.fail(at, "this value must be known before the deployment begins, so it cannot refer to the resource %s; write it out, or take it from a parameter", id)
	}
	v, err := ask()
	if err != nil {
		return nil, ev.wrap(at, err)
	}
	return ev.copy(v, at)
}

// wrap gives an error of the engine the place of the reference.
func (ev *evaluation) wrap(at *source.Node, err error) error {
	failed := &Error{Position: ev.report.Position(at), Path: at.Path(), Text: err.Error(), Err: err}
	if missing, is := errors.AsType[*engine.MissingAttributeError](err); is {
		failed.Instead = answered(missing)
	}
	return failed
}

// answered is a clause of the attributes that an answer has instead of a missing one.
func answered(missing *engine.MissingAttributeError) string {
	if len(missing.Answered) == 0 {
		return "; the answer has no Data"
	}
	var names []string
	for _, name := range missing.Answered {
		names = append(names, source.Shorten(name))
	}
	return source.DidYouMean(missing.Name, slices.Values(names))
}

// attribute is an attribute of a resource, which the engine knows.
type attribute struct {
	at     *source.Node
	id     string
	name   expr
	madeUp bool // of a stand-in
}

func (attribute) compile(c *compiler, f call) expr {
	const write = "; write !GetAtt LogicalID.Attribute"
	switch f.argument.Kind {
	case source.Scalar:
		name, _ := f.argument.Text()
		id, attr, dotted := strings.Cut(name, ".")
		isWhole := dotted && attr != "" && id != ""
		if !isWhole {
			return c.invalid(f.argument, "Fn::GetAtt takes a resource and an attribute with a dot between them%s", write)
		}
		return c.attributeOf(f.at, id, literal{attr})
	case source.List:
		items := c.arguments(f, 2, 2)
		if items == nil {
			return invalidExpr{}
		}
		id, ok := c.static(items[0], "the logical ID that Fn::GetAtt takes", "Fn::GetAtt takes the logical ID as a literal string, not %s"+write)
		if !ok {
			return invalidExpr{}
		}
		return c.attributeOf(f.at, id, c.textual(items[1], "the attribute's name"))
	}
	return c.invalid(f.argument, "Fn::GetAtt takes a resource and an attribute, not %s%s", f.argument.Describe(), write)
}

func (c *compiler) attributeOf(at *source.Node, id string, name expr) expr {
	// SAM's own references: Function.Alias, and an attribute of the resource that it stands for.
	l, written := name.(literal)
	attr, _ := source.Text(l.value)
	if member, below, ok := strings.Cut(attr, "."); ok && c.references[id+"."+member] != "" {
		id, attr, name = id+"."+member, below, literal{below}
	}
	if generated := c.references[id]; generated != "" {
		id = generated
	}
	target := c.resources[id]
	switch {
	case target == nil && c.parameters[id] != nil:
		return c.invalid(at, "%s is a parameter and has no attributes; write !Ref %s", id, id)
	case target == nil:
		return c.invalid(at, "there is no resource %s%s", source.Shorten(id), source.DidYouMean(id, maps.Keys(c.resources)))
	case c.section.early():
		return c.tooEarly(at, id)
	}
	if written {
		target.spec.checkAttribute(attr, at, c.Report)
	}
	return attribute{at, id, name, !engine.IsCustomResource(target.Type)}
}

func (a attribute) eval(ev *evaluation) (any, error) {
	name, err := ev.text(a.name, a.at, "the attribute's name")
	if err != nil {
		return nil, err
	}
	if v, given := ev.attributes[a.id+"."+name]; given && ev.refs != nil {
		return ev.copy(v, a.at)
	}
	if v, shaped := ev.shaped[a.id+"."+name]; shaped && ev.refs != nil {
		return ev.copy(v, a.at)
	}
	return ev.ask(a.at, a.id, func() (any, error) { return ev.refs.GetAtt(a.id, name) })
}

func (a attribute) parts(map[string]bool) []expr { return []expr{a.name} }

// imported is Fn::ImportValue: the value that another stack exports under a name. As Fn::GetStackOutput it is an output
// of another stack, whose name is STACK.OUTPUT, or REGION/STACK.OUTPUT of another Region: no export has such a name.
type imported struct {
	at   *source.Node
	name expr
	weak bool // it does not keep the other stack from changing the value
}

func (imported) compile(c *compiler, f call) expr {
	i := imported{at: f.at, name: c.textual(f.argument, "the name of an export")}
	c.checkImported(f.argument, i)
	c.checkExportName(f.argument, i.name)
	return i
}

// checkExportName refuses the name of an export that another stack's value decides, as CloudFormation does
// (observed: aws-cloudformation/cfn-lint#4519).
func (c *compiler) checkExportName(at *source.Node, name expr) {
	c.budget.walk(name, nil, func(e expr) {
		if _, is := e.(imported); is {
			c.Errorf(at, "the name of an export must not depend on any imported value; write it out, or take it from parameters")
		}
	})
}

func (c *compiler) checkImported(at *source.Node, i imported) {
	c.budget.walk(i.name, nil, func(e expr) {
		switch e.(type) {
		case attribute, resourceRef:
			c.Errorf(at, "the name of an export or of a stack's output must be known before the deployment begins, so it cannot depend on a resource; write it out, or take it from parameters")
		}
	})
}

// stackOutput is Fn::GetStackOutput. What it takes, and that its value is read when a stack is created or updated and
// keeps the other stack from nothing, is documented ("Fn::GetStackOutput" in the template reference). Where it may stand
// is observed: among properties and in outputs, not among conditions, nor in the name of an export
// (aws-cloudformation/cfn-lint#4519). That its names must not depend on resources is inferred from Fn::ImportValue; what
// CloudFormation says if there is no such stack or output is not known. That the short form must not have other short
// forms in it is documented, and is not checked.
type stackOutput struct{}

// stackOutputKeys are what it takes. Nobody assumes the role here.
var stackOutputKeys = []string{"StackName", "OutputName", "Region", "RoleArn"}

func (stackOutput) compile(c *compiler, f call) expr {
	if f.argument.Kind != source.Object || f.argument.IsCall() {
		return c.invalid(f.argument, "Fn::GetStackOutput takes an object, not %s; write %s", f.argument.Describe(), f.example)
	}
	// Both names are needed. Without a Region it is the stack's own.
	c.CheckKeys(f.argument, "Fn::GetStackOutput", stackOutputKeys)
	parts := map[string]expr{}
	for _, name := range stackOutputKeys {
		at := f.argument.Get(name)
		if at != nil {
			parts[name] = c.textual(at, name)
		} else if name == "StackName" || name == "OutputName" {
			return c.invalid(f.at, "Fn::GetStackOutput needs %s; write %s", name, f.example)
		}
	}
	// Its name among the values of other stacks.
	known := []expr{parts["StackName"], parts["OutputName"]}
	if parts["Region"] != nil {
		known = append(known, parts["Region"])
	}
	// An output of another stack is found under one name, as an export is.
	i := imported{at: f.at, weak: true, name: applied{known, func(ev *evaluation) (any, error) {
		texts := make([]string, 3)
		for i, e := range known {
			var err error
			if texts[i], err = ev.text(e, f.at, stackOutputKeys[i]); err != nil {
				return nil, err
			}
		}
		name := texts[0] + "." + texts[1]
		if texts[2] != "" && texts[2] != ev.pseudo["AWS::Region"] {
			name = texts[2] + "/" + name
		}
		return name, nil
	}}}
	c.checkImported(f.argument, i)
	return i
}

func (i imported) eval(ev *evaluation) (any, error) {
	name, err := ev.text(i.name, i.at, "the name of an export")
	if err != nil {
		return nil, err
	}
	value, ok := ev.stack.Exports[name]
	if !ok {
		return nil, ev.fail(i.at, "no other stack here exports this name; first deploy the stack that exports it, or give the value with --import NAME=VALUE")
	}
	return value, ev.spend(len(value), i.at)
}

func (i imported) parts(map[string]bool) []expr { return []expr{i.name} }

// importing notes the use of an export, which must exist before the deployment begins.
func (p *planner) importing(i imported) {
	name, err := p.early().text(i.name, i.at, "the name of an export")
	shown := source.Shorten(name)
	if p.ofSecret(i.name) {
		shown = "NAME"
	}
	// Only the root stack asks for what a missing parameter hides: a nested one gets its parameters from its parent.
	_, known := p.stack.Exports[name]
	isHidden := !known && p.isGuess(i.name)
	switch {
	case isHidden && p.stack.Path == "":
		p.report.Missing(i.at, []string{"--import NAME=VALUE"}, "the name of this export depends on a parameter whose value is missing: unless a stack here exports it, give its name and value")
	case isHidden: // its name is not known
	case err != nil:
		p.report.Add(err)
	case !known:
		if i.weak {
			p.report.Missing(i.at, []string{source.Flag("--import", shown, "VALUE")}, "no other stack here has the output %s; first deploy the stack that has it, or give the value with --import %s=VALUE", shown, shown)
			return
		}
		p.report.Missing(i.at, []string{source.Flag("--import", shown, "VALUE")}, "no other stack here exports %s; first deploy the stack that exports it, or give the value with --import %s=VALUE", shown, shown)
	default:
		p.imports[name] = true
	}
}

// pseudo are the pseudo parameters.
func (s Stack) pseudo() map[string]any {
	partition := engine.PartitionOf(s.Region)
	return map[string]any{
		"AWS::AccountId": s.AccountID, "AWS::Region": s.Region, "AWS::StackId": s.StackID, "AWS::StackName": s.StackName,
		"AWS::Partition": partition.Name, "AWS::URLSuffix": partition.Suffix, "AWS::NotificationARNs": []any{},
	}
}
