package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Revision of a stack is what one deployment gave it: a template, with the options that it was
// deployed with.
type Revision struct {
	Number int `json:"Revision"` // the first is 1
	// File is the template's absolute name. Body is what it contained, because a rollback leads back
	// to that, whatever the file contains by then.
	File, Body string
	Parameters map[string]string `json:",omitempty"`
	// Files are the templates of nested stacks, by their absolute names.
	Files map[string]string `json:",omitempty"`
	// Dir is where commands run.
	Dir string
	Substitutes
	// Exports are the values that the exports of the other stacks here had at the deployment.
	Exports map[string]string `json:",omitempty"`
	// Offered are all exports at the deployment, if a nested stack imports any. Which of them it
	// imports is not known until it is created.
	Offered map[string]string `json:",omitempty"`
	// Stored are the values that the parameters of the other stacks here had in Parameter Store, by name.
	Stored map[string]string `json:",omitempty"`
	// Outputs are those of the stacks in Nested at the deployment, in the form of Attributes.
	Outputs map[string]string `json:",omitempty"`
	// Service is the command of a program that the handlers need, or "".
	Service string `json:",omitempty"`
	// Ready is where the service answers once it serves, or "" to find out.
	Ready string `json:",omitempty"`
	// Code has a hash of what each function runs, by its name as seen from the root; see stampCode.
	Code map[string]string `json:",omitempty"`
	// Since has the number of the deployment from which on each function has had that Code. It leaves
	// out a function whose code was updated since.
	Since map[string]int `json:",omitempty"`
	// Capabilities and Tags are set by an order through the API.
	Capabilities []string          `json:",omitempty"`
	Tags         map[string]string `json:",omitempty"`
	// Keeps names the parameters that keep their values if none are given. Nil is all of them.
	Keeps []string `json:"-"`

	// RequiresPrograms has Plan report requests that no program here would answer. It is set for
	// what is about to be deployed, not for what already was.
	RequiresPrograms bool `json:"-"`
	// Provided reports whether another stack has the function or topic of an ARN. Nil is none.
	Provided func(arn string) bool `json:"-"`

	family   map[string]*template.Template // the template and those nested in it by file, once ReadNested has read them
	fresh    bool                          // was read from its file, not from a stack's record
	given    map[string]bool               // what the present command specifies; see Runs
	code     []template.Function           // of nested stacks, by their names as seen from the root
	plan     *template.Plan                // once Plan has read it
	planFor  string                        // the stack's ID
	declared []template.Parameter
}

// Substitutes are what a deployment here uses in the place of AWS.
type Substitutes struct {
	// Commands run functions, by logical ID, instead of the programs that would be built from their
	// CodeUri; and by ARN, functions of other stacks and subscribers of their topics.
	Commands map[string]string `json:",omitempty"`
	// Types are the registered types whose handlers run here, by name. All others are stand-ins.
	Types map[string]Type `json:",omitempty"`
	// Env is added to the environment of all functions and of the service.
	Env map[string]string `json:",omitempty"`
	// Imports are the values for exports of stacks that are not in this directory, by export name.
	Imports map[string]string `json:",omitempty"`
	// SSM are the values of Parameter Store, by parameter name.
	SSM map[string]string `json:",omitempty"`
	// Attributes are the values for attributes of stand-ins, by RESOURCE.ATTRIBUTE.
	Attributes map[string]string `json:",omitempty"`
	// Nested are the replacements of nested stacks, by logical ID: the name of a stack in this
	// directory, or template.StandIn.
	Nested map[string]string `json:",omitempty"`
}

// Read returns the revision that a template's file would deploy.
func Read(file string) (*Revision, error) {
	body, err := ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the template cannot be read: %w", err)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	return &Revision{File: absolute, Body: string(body), Dir: dir, fresh: true}, err
}

// FromBody returns the revision that a template without a file would deploy. Its paths are relative
// to the working directory.
func FromBody(body string) (*Revision, error) {
	dir, err := os.Getwd()
	return &Revision{File: filepath.Join(dir, "TemplateBody"), Body: body, Dir: dir, fresh: true}, err
}

// Plan reads the template for a stack.
func (rev *Revision) Plan(s *engine.Stack) (*template.Plan, error) {
	if rev.plan != nil && rev.planFor == s.ID {
		return rev.plan, nil
	}
	// A template that was deployed stays accepted, even if a newer cfnlocal would refuse it.
	parse := template.ParseAccepted
	if rev.fresh {
		parse = template.Parse
	}
	t, err := parse(rev.shown(rev.File), []byte(rev.Body))
	if err != nil {
		return nil, err
	}
	// Declared answers even if the template cannot be resolved.
	rev.plan, err = t.Resolve(rev.stack(s))
	rev.planFor, rev.declared = s.ID, t.Parameters()
	if err == nil {
		rev.stampCode(rev.plan)
	}
	return rev.plan, err
}

// stack returns what a template needs to know of a stack.
func (rev *Revision) stack(s *engine.Stack) template.Stack {
	stack := template.Stack{
		AccountID: s.Options.Account, Region: s.Options.Region,
		StackID: s.ID, StackName: s.Name, Parameters: rev.Parameters,
		Exports: merged(rev.Exports, rev.Imports), Store: merged(rev.Stored, rev.SSM), Attributes: merged(rev.Outputs, rev.Attributes), Nested: rev.Nested, Open: rev.open,
	}
	// Flags name a nested stack's resources by their path from the root.
	if s.Path != "" {
		stack.Path = s.Path + "."
	}
	if rev.RequiresPrograms {
		stack.HasProgram, stack.Needs = rev.hasProgram, rev.needs(s)
	}
	return stack
}

// Mentions reports whether the template, or one nested in it, has a text in it.
func (rev *Revision) Mentions(text string) bool {
	return strings.Contains(rev.Body, text) ||
		slices.ContainsFunc(slices.Collect(maps.Values(rev.Files)), func(body string) bool { return strings.Contains(body, text) })
}

// shown returns a file's name for messages.
func (rev *Revision) shown(file string) string {
	if relative, err := filepath.Rel(rev.Dir, file); err == nil && len(relative) < len(file) {
		return relative
	}
	return file
}

// Functions returns the functions of the revision's plan, and those of nested
// stacks that are known before the nested stacks are created.
func (rev *Revision) Functions(plan *template.Plan) []template.Function {
	return slices.Concat(plan.Functions, rev.code)
}

// Warnings returns a plan's warnings. It leaves out that a function has no code here
// if the function has a command.
func (rev *Revision) Warnings(plan *template.Plan) (all []string) {
	for _, w := range plan.Warnings {
		if w.NoCode != "" && rev.Commands[w.NoCode] != "" {
			continue
		}
		all = append(all, w.String())
	}
	return all
}

// Declared are the template's parameters, once there is a plan.
func (rev *Revision) Declared() []template.Parameter { return rev.declared }

// Inherit fills in options that are not set from the stack's previous revision, as AWS's own clients
// keep parameter values: those of parameters that the template still has, commands, environment
// variables, substitutes for AWS and for other stacks, and the service. A stack that was deleted
// leaves only its service.
func (rev *Revision) Inherit(r *Record) {
	rev.noteGiven()
	former := r.Revisions[r.Stack.Target]
	if former == nil || r.Stack.Deleted() {
		rev.Substitutes = rev.over(Substitutes{}) // what there is not is forgotten already
	}
	if former == nil {
		return
	}
	rev.Service, rev.Ready = cmp.Or(rev.Service, former.Service), cmp.Or(rev.Ready, former.Ready)
	if r.Stack.Deleted() {
		return
	}
	// CloudFormation keeps the value of a parameter only if the new template declares it.
	t, err := template.Parse(rev.File, []byte(rev.Body))
	if err != nil {
		return // Plan reports it, with the file's shorter name
	}
	parameters := map[string]string{}
	for _, p := range t.Parameters() {
		if value, ok := former.Parameters[p.Name]; ok && (rev.Keeps == nil || slices.Contains(rev.Keeps, p.Name)) {
			parameters[p.Name] = value
		}
	}
	rev.Parameters = merged(parameters, rev.Parameters)
	// A substitute for a resource that is gone would be a mistake that nobody made.
	kept := former.Substitutes
	kept.Attributes, kept.Nested = declaredOnly(t, kept.Attributes), declaredOnly(t, kept.Nested)
	rev.Substitutes = rev.over(kept)
}

// over returns the substitutes of before with those of now.
func (s *Substitutes) over(former Substitutes) Substitutes {
	return Substitutes{
		Commands:   updated(former.Commands, s.Commands),
		Types:      updated(former.Types, s.Types),
		Env:        updated(former.Env, s.Env),
		Imports:    updated(former.Imports, s.Imports),
		SSM:        updated(former.SSM, s.SSM),
		Attributes: updated(former.Attributes, s.Attributes),
		Nested:     updated(former.Nested, s.Nested),
	}
}

// declaredOnly returns the entries about resources that the template still declares.
func declaredOnly(t *template.Template, former map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range former {
		if id, _, _ := strings.Cut(name, "."); t.Declares(id) {
			all[name] = value
		}
	}
	return all
}

// merged returns the entries of both maps; those of now take precedence.
func merged[V any](former, now map[string]V) map[string]V {
	all := maps.Clone(former)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, now)
	return all
}

// updated is merged, but that NAME- without a value leaves out the former entry of NAME.
func updated[V any](former, now map[string]V) map[string]V {
	all := merged(former, now)
	for name, value := range now {
		if forgotten, is := strings.CutSuffix(name, "-"); is && reflect.ValueOf(value).IsZero() {
			delete(all, name)
			delete(all, forgotten)
		}
	}
	return all
}

// An Override replaces the service of revisions, and adds to their environment.
type Override struct {
	Service *string // nil keeps the one that they have
	Ready   string
	Env     map[string]string
}

// ErrNoService is returned for an Override that has Ready but leaves no service.
var ErrNoService = errors.New("--run-ready says where the service of --run answers, and there is no service")

// ApplyTo changes a revision.
func (o Override) ApplyTo(rev *Revision) error {
	rev.given = merged(rev.given, nil)
	if o.Service != nil {
		rev.Service, rev.Ready, rev.given[theService] = *o.Service, "", true
	}
	for name := range o.Env {
		rev.given[theVariable(name)] = true
	}
	rev.Ready, rev.Env = cmp.Or(o.Ready, rev.Ready), updated(rev.Env, o.Env)
	if o.Ready != "" && rev.Service == "" {
		return ErrNoService
	}
	return nil
}

// ApplyToCopies returns copies of revisions with the override.
func (o Override) ApplyToCopies(all map[int]*Revision) (map[int]*Revision, error) {
	changed := map[int]*Revision{}
	for revision, rev := range all {
		one := *rev
		if err := o.ApplyTo(&one); err != nil {
			return nil, err
		}
		changed[revision] = &one
	}
	return changed, nil
}
