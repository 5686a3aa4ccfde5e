package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// A source is a template with what is said about it.
type source struct {
	Template  string            `arg:"" help:"The template, YAML or JSON: the one that goes to AWS."`
	Stack     string            `help:"Name of the stack. Without it, that of the template's directory." placeholder:"NAME"`
	Parameter map[string]string `help:"A parameter's value, as NAME=VALUE. An update keeps those that are not given." placeholder:"NAME=VALUE" mapsep:"none"`
	Function  map[string]string `help:"What runs a function, by its logical ID, instead of the Go program in its CodeUri: FUNCTION=COMMAND. It must speak Lambda's Runtime API. With an ARN as FUNCTION, what runs a function of another stack, for at most 15 minutes, or listens to its topic. In a nested stack: NESTED.FUNCTION=COMMAND." placeholder:"FUNCTION=COMMAND" mapsep:"none"`
	Import    map[string]string `help:"The value of an export of a stack that is not here, for Fn::ImportValue: NAME=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	SSM       map[string]string `name:"ssm" help:"A parameter of Systems Manager's Parameter Store: NAME=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	Attribute map[string]string `help:"An attribute of a stand-in for an AWS resource, as RESOURCE.ATTRIBUTE=VALUE; a JSON array is a list." placeholder:"R.A=VALUE" mapsep:"none"`
	Nested    map[string]string `help:"What takes the place of a nested stack, which is played if its template is a file: RESOURCE=STACK, a stack that was deployed by itself, or RESOURCE=stand-in." placeholder:"RESOURCE=STACK" mapsep:"none"`
	Env       map[string]string `help:"A variable of the environment of functions and service." placeholder:"NAME=VALUE" mapsep:"none"`
}

// read reads the template, and names the stack.
func (s *source) read() (d *local.Deployment, stack string, err error) {
	d, err = local.Read(s.Template)
	if err != nil {
		return nil, "", &failure{err, "give the file of a template, such as examples/webhook/template.yaml", exitRefused}
	}
	d.Parameters, d.Commands, d.Env = s.Parameter, s.Function, s.Env
	d.Imports, d.SSM, d.Attributes, d.Nested = s.Import, s.SSM, s.Attribute, s.Nested
	return d, cmp.Or(s.Stack, nameOf(d.File)), nil
}

type deployCmd struct {
	operation
	source
	Service         *string    `name:"run" help:"A service that the handler needs while it works. Later commands run it too." placeholder:"COMMAND"`
	Ready           string     `name:"run-ready" help:"Where the service of --run answers once it serves: a URL, or HOST:PORT. Without it, an address of this machine that the command or --env names, or else the first line that it writes." placeholder:"URL"`
	DisableRollback bool       `help:"Keep what succeeded when something fails." xor:"rollback"`
	Express         bool       `help:"Deploy in the mode EXPRESS: nothing is rolled back when something fails; deploy again." xor:"rollback"`
	Rollback        bool       `help:"With --express: roll back when something fails, as DeploymentConfig.DisableRollback=false does."`
	Warnings        bool       `help:"Also give the warnings that the stack's latest deployment gave about the same template."`
	NoCheck         bool       `name:"no-check" help:"Deploy also what the functions say they refuse, to see what comes of it."`
	HelpFaults      helpFaults `help:"List the faults."`
}

// Help is shown by cfnlocal deploy --help.
func (deployCmd) Help() string {
	return `Functions run as processes of this machine, and find two of AWS's services on it, where the AWS SDKs look for endpoints: CloudFormation's API, for reading, in AWS_ENDPOINT_URL_CLOUDFORMATION, and Lambda's Invoke in AWS_ENDPOINT_URL_LAMBDA, for the functions of the stack and those that --function runs. Events that a function sends with Invoke are tried again, and given up, as those of CloudFormation are. A function that invokes itself is waited for until ServiceTimeout; like Lambda, cfnlocal ends a chain after 16 invocations, unless its RecursiveLoop is Allow.`
}

// Run deploys.
func (c *deployCmd) Run(a *app) error {
	d, name, err := c.read()
	if err != nil {
		return err
	}
	d.Ready = c.Ready
	if c.Service != nil {
		d.Service = *c.Service
	}
	return a.do(name, c.operation, func(ctx context.Context, h *local.Home, s local.Settings) (*engine.Stack, error) {
		if err := h.Inherit(name, d, c.Service == nil); err != nil {
			return nil, err
		}
		if d.Ready != "" && d.Service == "" {
			return nil, &failure{errors.New("--run-ready says where the service of --run answers, and there is no service"), "add --run COMMAND, or leave it out", exitUsage}
		}
		change := local.Change{DisableRollback: c.DisableRollback, Express: c.Express, ExpressRollback: c.Rollback, Again: c.Warnings, Planned: func(plan *template.Plan, unsaid func([]string) []string) {
			a.warn(d.Warnings(plan), unsaid, c.Warnings)
			a.warnOfStrangers(d.Functions(plan), c.Function)
			a.warnOfCode(d.Functions(plan), d)
		}}
		if !c.NoCheck {
			change.Checked = a.checked
		}
		return h.Deploy(ctx, name, d, change, s)
	})
}

// checked warns of what is replaced, before anything is.
func (a *app) checked(c *local.Checked, err error) error {
	if err != nil {
		return err
	}
	for _, w := range c.Replaced {
		a.warning(w.String())
	}
	return nil
}

// Validate refuses what no service can answer at, and a rollback that is there
// anyway.
func (c *deployCmd) Validate() error {
	if c.Rollback && !c.Express {
		return errors.New("--rollback belongs to --express: without that, what fails is rolled back unless --disable-rollback is given")
	}
	u, err := url.Parse(c.Ready)
	isURL := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	if _, _, err := net.SplitHostPort(c.Ready); c.Ready == "" || isURL || err == nil {
		return nil
	}
	return errors.New("--run-ready: write http://HOST:PORT/PATH, or HOST:PORT")
}

// warn gives warnings, those that were given before only if again is set.
// Programs are given all of them.
func (a *app) warn(warnings []string, unsaid func([]string) []string, again bool) {
	fresh := unsaid(warnings)
	if again || a.json {
		fresh = warnings
	}
	for _, w := range fresh {
		a.warning(w)
	}
	switch n := len(warnings) - len(fresh); {
	case n == 1:
		a.complain("1 warning is as before, and not repeated: --warnings gives it.")
	case n > 1:
		a.complain(fmt.Sprintf("%d warnings are as before, and not repeated: --warnings gives them.", n))
	}
}

// warnOfStrangers warns of commands for functions that the template does not
// have: a misspelt one would be run as what is in its CodeUri.
func (a *app) warnOfStrangers(known []template.Function, commands map[string]string) {
	var functions []string
	for _, f := range known {
		functions = append(functions, f.LogicalID)
	}
	for _, id := range slices.Sorted(maps.Keys(commands)) {
		if !slices.Contains(functions, id) && !strings.HasPrefix(id, "arn:") {
			a.warning("--function " + id + " has no effect: the functions of the stack are " + strings.Join(functions, ", "))
		}
	}
}

// warnOfCode announces programs that are built and run from where nobody may
// expect it.
func (a *app) warnOfCode(functions []template.Function, d *local.Deployment) {
	for _, f := range functions {
		if dir, outside := d.Outside(f); outside {
			a.warning("the program of " + f.LogicalID + " is built and run from " + dir + ", which is outside of the template's directory")
		}
	}
}

func (a *app) warning(text string) {
	if a.json {
		a.print(map[string]any{"Warning": text})
		return
	}
	a.complain("warning: " + text)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9-]+`)

// nameOf is the name of the template's directory as a stack can have it.
func nameOf(file string) string {
	name := strings.Trim(notInNames.ReplaceAllString(filepath.Base(filepath.Dir(file)), "-"), "-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "stack-" + name
	}
	return strings.Trim(name, "-")
}
