package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Deployment is a template with the options that it was deployed with.
type Deployment struct {
	Revision int // of the stack, once it is deployed
	// File is where the template was read, absolute; Body is what was in it,
	// since a rollback leads back to it whatever the file is by then.
	File, Body string
	Parameters map[string]string `json:",omitempty"`
	// Files are the templates of nested stacks, by their absolute names.
	Files map[string]string `json:",omitempty"`
	// Dir is where commands run.
	Dir string
	// Commands are what runs functions, by logical ID, instead of a program that is built from
	// their CodeUri; and by ARN what runs functions of other stacks, or listens to their topics.
	Commands map[string]string `json:",omitempty"`
	// Imports are values that were given for exports of stacks that are not here, by the names of
	// the exports; Exports those of other stacks here as they were at the deployment.
	Imports, Exports map[string]string `json:",omitempty"`
	// Offered are all exports at the deployment, if a nested stack imports any:
	// which of them is known only once the nested stack is created.
	Offered map[string]string `json:",omitempty"`
	// SSM stands in for Parameter Store, by the names of its parameters.
	SSM map[string]string `json:",omitempty"`
	// Attributes are values for attributes of stand-ins, by RESOURCE.ATTRIBUTE.
	Attributes map[string]string `json:",omitempty"`
	// Nested says what takes the place of nested stacks, by logical ID: the name of a stack here,
	// whose outputs are in Outputs as they were at the deployment, or template.StandIn.
	Nested map[string]string `json:",omitempty"`
	// Outputs are those of the stacks in Nested, as Attributes.
	Outputs map[string]string `json:",omitempty"`
	// Types are the registered types whose handlers run here, by name. All others are stand-ins.
	Types map[string]Type `json:",omitempty"`
	// Service is the command of a program that the handlers need, or "".
	Service string `json:",omitempty"`
	// Ready is where the service answers once it serves, or "" if that is found out.
	Ready string `json:",omitempty"`
	// Capabilities and Tags are those of an order that came through the API.
	Capabilities []string          `json:",omitempty"`
	Tags         map[string]string `json:",omitempty"`
	// Keeps names the parameters whose values stay as they are if none are given. Nil is
	// all of them.
	Keeps []string `json:"-"`
	// Env is added to the environment of all functions and of the service.
	Env map[string]string `json:",omitempty"`

	// RequiresPrograms has the plan tell which requests nobody here would answer: of
	// what is to be deployed, not of what was.
	RequiresPrograms bool `json:"-"`

	unrun    template.Errors     // functions of nested stacks that custom resources need, and that have no program
	fresh    bool                // read from its file, and not from a stack's record
	given    map[string]bool     // what the command has said that is being carried out; see Runs
	code     []template.Function // of nested stacks, by their names as seen from the root
	plan     *template.Plan      // once it was read
	planFor  string              // the stack's ID
	declared []template.Parameter
}

// Read returns the deployment of a template's file.
func Read(file string) (*Deployment, error) {
	body, err := ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the template cannot be read: %w", err)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	return &Deployment{File: absolute, Body: string(body), Dir: dir, fresh: true}, err
}

// FromBody returns the deployment of a template that came without a file. What it names
// by paths is looked for in the working directory.
func FromBody(body string) (*Deployment, error) {
	dir, err := os.Getwd()
	return &Deployment{File: filepath.Join(dir, "TemplateBody"), Body: body, Dir: dir, fresh: true}, err
}

// Plan reads the template for a stack.
func (d *Deployment) Plan(s *engine.Stack) (*template.Plan, error) {
	if d.plan != nil && d.planFor == s.ID {
		return d.plan, nil
	}
	parse := template.ParseAccepted
	if d.fresh {
		parse = template.Parse
	}
	t, err := parse(d.shown(d.File), []byte(d.Body))
	if err != nil {
		return nil, err
	}
	var runs func(*template.Function, string) bool
	if d.RequiresPrograms {
		runs = d.runs
	}
	d.plan, err = t.Resolve(template.Stack{
		AccountID: s.Options.Account, Region: s.Options.Region, Partition: s.Options.Partition,
		StackID: s.ID, StackName: s.Name, Parameters: d.Parameters,
		Exports: merged(d.Exports, d.Imports), Store: d.SSM, Attributes: merged(d.Outputs, d.Attributes), Nested: d.Nested, Open: d.open, Runs: runs,
	})
	d.planFor, d.declared = s.ID, t.Parameters()
	if found, ok := errors.AsType[template.Errors](err); d.RequiresPrograms && len(d.unrun) > 0 && (err == nil || ok) {
		d.plan, err = nil, slices.Concat(found, d.unrun)
	}
	return d.plan, err
}

// shown returns a file's name for messages.
func (d *Deployment) shown(file string) string {
	if relative, err := filepath.Rel(d.Dir, file); err == nil && len(relative) < len(file) {
		return relative
	}
	return file
}

// Functions returns the functions of the deployment's plan, and those of nested
// stacks that are known before the nested stacks are created.
func (d *Deployment) Functions(plan *template.Plan) []template.Function {
	return slices.Concat(plan.Functions, d.code)
}

// Warnings returns a plan's warnings. It leaves out that a function has no code here
// if the function has a command.
func (d *Deployment) Warnings(plan *template.Plan) (all []string) {
	for _, w := range plan.Warnings {
		if w.NoCode != "" && d.Commands[w.NoCode] != "" {
			continue
		}
		all = append(all, w.String())
	}
	return all
}

// Declared are the template's parameters, once there is a plan.
func (d *Deployment) Declared() []template.Parameter { return d.declared }
