package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// templateFlags are the template and the flags about it.
type templateFlags struct {
	Template  string            `arg:"" help:"The template that you deploy to AWS, in YAML or JSON."`
	Stack     string            `help:"The name of the stack. The default is the name of the template's directory." placeholder:"NAME"`
	Parameter map[string]string `help:"A parameter's value, as NAME=VALUE. An update keeps the values that are not given." placeholder:"NAME=VALUE" mapsep:"none"`
	placeFlags
	substituteFlags
	envFlags
}

// placeFlags say where a new stack is.
type placeFlags struct {
	Region  string `help:"The Region of a new stack. The default is AWS_REGION, or us-east-1." placeholder:"REGION"`
	Account string `help:"The account of a new stack. The default is 123456789012." placeholder:"ID"`
}

var (
	regionForm  = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`)
	accountForm = regexp.MustCompile(`^[0-9]{12}$`)
)

// Validate refuses what is no Region or account.
func (f *placeFlags) Validate() error {
	switch {
	case f.Region != "" && !regionForm.MatchString(f.Region):
		return fmt.Errorf("--region: %.60q is no Region: write one such as eu-west-1", f.Region)
	case f.Account != "" && !accountForm.MatchString(f.Account):
		return fmt.Errorf("--account: %.60q is no account: write its 12 digits", f.Account)
	}
	return nil
}

// options are those of a new stack. A Region of the environment that has no Region's form is not used.
func (f *placeFlags) options(seed uint64) engine.Options {
	o := engine.Options{Seed: seed, Region: f.Region, Account: f.Account}
	if region := os.Getenv("AWS_REGION"); f.Region == "" && regionForm.MatchString(region) {
		o.Region = region
	}
	return o
}

// stays refuses another place than that of a stack that exists: in AWS that is another stack.
func (f *placeFlags) stays(s *engine.Stack) error {
	for _, place := range [][3]string{{"--region", f.Region, s.Options.Region}, {"--account", f.Account, s.Options.Account}} {
		if flag, given, is := place[0], place[1], place[2]; given != "" && given != is {
			return &failure{fmt.Errorf("the stack %s is in %s, and stays there", s.Name, is), fmt.Sprintf("deploy another stack with --stack, or leave out %s", flag), exitUsage}
		}
	}
	return nil
}

// assignments are values of a flag, each NAME=VALUE, or NAME- to forget a value: its
// key is NAME-, and its value is empty.
type assignments map[string]string

// Decode adds one value.
func (a *assignments) Decode(ctx *kong.DecodeContext) error {
	var text string
	if err := ctx.Scan.PopValueInto("NAME=VALUE", &text); err != nil {
		return err
	}
	name, value, is := strings.Cut(text, "=")
	if isComplete := is || strings.HasSuffix(name, "-"); !isComplete {
		return fmt.Errorf("%.100q has no value: write NAME=VALUE, or NAME- to forget a value", text)
	}
	if name == "" || name == "-" {
		return fmt.Errorf("%.100q has no name: write NAME=VALUE, or NAME- to forget a value", text)
	}
	if *a == nil {
		*a = assignments{}
	}
	(*a)[name] = value
	return nil
}

// substituteFlags give substitutes for what AWS provides.
type substituteFlags struct {
	Function  assignments `help:"The command that runs a function instead of the Go program in its CodeUri, as FUNCTION=COMMAND. The command must speak Lambda's Runtime API. An update keeps it; FUNCTION- forgets it. FUNCTION is a logical ID, or NESTED.FUNCTION in a nested stack. It can be the ARN of a function of another stack, which then has a timeout of 15 minutes, or of a topic, to which the command subscribes; the command takes precedence over a function of a stack in --dir." placeholder:"FUNCTION=COMMAND" mapsep:"none"`
	Import    assignments `help:"A value for Fn::ImportValue that no local stack exports, as NAME=VALUE, or for Fn::GetStackOutput, as STACK.OUTPUT=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	SSM       assignments `name:"ssm" help:"A parameter in Systems Manager's Parameter Store, as NAME=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	Attribute assignments `help:"An attribute of the stand-in for an AWS resource, as RESOURCE.ATTRIBUTE=VALUE. Write a list as a JSON array." placeholder:"R.A=VALUE" mapsep:"none"`
	Nested    assignments `help:"A replacement for a nested stack whose template is not a local file: RESOURCE=STACK uses a stack that is deployed by itself, RESOURCE=stand-in a stand-in without effect." placeholder:"RESOURCE=STACK" mapsep:"none"`
}

// substitutes returns them, with the values of other flags.
func (s *substituteFlags) substitutes(env map[string]string, types map[string]record.Type) record.Substitutes {
	return record.Substitutes{
		Commands: s.Function, Imports: s.Import, SSM: s.SSM, Attributes: s.Attribute, Nested: s.Nested,
		Env: env, Types: types,
	}
}

// read reads the template, and returns the stack's name.
func (f *templateFlags) read() (d *record.Revision, stack string, err error) {
	d, err = record.Read(f.Template)
	if err != nil {
		return nil, "", &failure{err, "give the file of a template, such as examples/webhook/template.yaml", exitRefused}
	}
	// A typo in an ARN would be a command that nothing ever runs.
	for _, function := range slices.Sorted(maps.Keys(f.Function)) {
		if strings.HasPrefix(function, "arn:") && !providerARN.MatchString(function) {
			return nil, "", &failure{fmt.Errorf("--function: %.200s is the ARN of neither a function nor a topic", function),
				"write --function arn:aws:lambda:REGION:ACCOUNT:function:NAME=COMMAND, or arn:aws:sns:REGION:ACCOUNT:NAME=COMMAND", exitUsage}
		}
	}
	d.Parameters, d.Substitutes = f.Parameter, f.substitutes(f.Env, nil)
	stack, err = f.stackName()
	return d, stack, err
}

func (f *templateFlags) stackName() (string, error) {
	file, err := filepath.Abs(f.Template)
	return cmp.Or(f.Stack, stackNameOf(file)), err
}

// providerARN matches the ARN of a function, of a version or an alias of one, and of a topic.
var providerARN = regexp.MustCompile(`^arn:[a-z-]+:(lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9_-]+(:[A-Za-z0-9$_-]+)?|sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_.-]+)$`)

// runFlags are the flags of a service that runs beside a stack's functions.
type runFlags struct {
	Service *string `name:"run" help:"A command that runs a service that the handler needs. Later commands on the stack run it too, and so do those of stacks whose resources the functions of this stack answer for. --run - forgets it." placeholder:"COMMAND"`
	Ready   string  `name:"run-ready" help:"The address at which the service of --run answers when it is ready: a URL, or HOST:PORT. By default, cfnlocal finds a local address in the command, in --env or in a function's environment, or else waits for the service's first line." placeholder:"URL"`
}

// Validate refuses a --run without a command, such as that of a variable that is not set, and a --run-ready that is no address.
func (f *runFlags) Validate() error {
	if f.Service != nil && strings.TrimSpace(*f.Service) == "" {
		return errors.New("--run has no command: write --run COMMAND, or --run - to forget the service")
	}
	u, err := url.Parse(f.Ready)
	isURL := err == nil && u.Host != "" && slices.Contains([]string{"http", "https"}, u.Scheme)
	_, _, noHostPort := net.SplitHostPort(f.Ready)
	switch {
	case f.Ready == "", isURL, noHostPort == nil:
		return nil
	}
	return errors.New("--run-ready is no address: write http://HOST:PORT/PATH, or HOST:PORT")
}

// override returns what the flags replace of the stack's revisions.
func (f *runFlags) override() record.Override {
	o := record.Override{Service: f.Service, Ready: f.Ready}
	if o.Service != nil && *o.Service == "-" {
		o.Service = new(string)
	}
	return o
}

// envFlags are the environment variables of the functions and the service.
type envFlags struct {
	Env assignments `help:"An environment variable for the functions and the service. An update keeps it; NAME- forgets it." placeholder:"NAME=VALUE" mapsep:"none"`
}

// serviceFlags are the flags of the commands that do not deploy a template, about
// the service and the environment.
type serviceFlags struct {
	runFlags
	envFlags
}

func (f *serviceFlags) values() record.Override {
	o := f.override()
	o.Env = f.Env
	return o
}

// typeFlags are the flags about registered types.
type typeFlags struct {
	Type       assignments `help:"The program that runs a registered type's handlers, as TYPE=COMMAND, or TYPE=DIRECTORY of a Go program. Without it, resources of the type are stand-ins. An update keeps it; TYPE- forgets it." placeholder:"TYPE=COMMAND" mapsep:"none"`
	TypeSchema []string    `help:"A file with a type's schema. By default, cfnlocal asks the function, which answers if registry.Options has a Schema." placeholder:"FILE" sep:"none"`
}

func (f *typeFlags) registeredTypes() (map[string]record.Type, error) {
	all := map[string]record.Type{}
	for _, name := range slices.Sorted(maps.Keys(f.Type)) {
		if strings.HasSuffix(name, "-") && f.Type[name] == "" {
			all[name] = record.Type{}
			continue
		}
		// The registry keeps AWS's own namespace for AWS.
		if !resourcetype.IsName(name) || strings.HasPrefix(name, "AWS::") {
			return nil, &failure{fmt.Errorf("--type: %.100q is not a type that can be registered", name), "write --type Organization::Service::Resource=COMMAND", exitUsage}
		}
		all[name] = record.Type{Command: f.Type[name]}
	}
	// A schema says which type it is of, so it comes after the names that it can belong to.
	for _, file := range f.TypeSchema {
		raw, err := record.ReadFile(file)
		if err != nil {
			return nil, &failure{err, "give the file of a type's schema", exitRefused}
		}
		s, err := schema.Read(raw)
		if err != nil {
			return nil, &failure{fmt.Errorf("%s: %w", file, err), "give the file of a type's schema", exitRefused}
		}
		t, ok := all[s.TypeName]
		if !ok {
			return nil, &failure{errors.New(file + " is the schema of " + s.TypeName + ", which no --type names"), "add --type " + s.TypeName + "=COMMAND", exitUsage}
		}
		if t.File, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		all[s.TypeName] = t
	}
	return all, nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9-]+`)

// stackNameOf returns the name of the template's directory, changed to be a valid stack name.
func stackNameOf(file string) string {
	name := strings.Trim(notInNames.ReplaceAllString(filepath.Base(filepath.Dir(file)), "-"), "-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "stack-" + name
	}
	return strings.Trim(name, "-")
}

// checkPrograms returns an error if a command cannot run: it would fail for every event, and the stack would wait for an
// hour. The keys of commands name the functions that they run, or the types, which can be directories of Go programs.
// NAME- without a command forgets one, and update-code takes a name alone.
func checkPrograms(ctx context.Context, flag string, commands map[string]string, dir string) error {
	for _, what := range slices.Sorted(maps.Keys(commands)) {
		isNoCommand := strings.HasSuffix(what, "-") || flag == "update-code"
		if commands[what] == "" && isNoCommand {
			continue
		}
		if why := cannotRun(ctx, commands[what], dir, strings.Contains(what, "::")); why != "" {
			return &failure{fmt.Errorf("%s %s: %s", flag, what, why), "correct the command, or give the program's path", exitUsage}
		}
	}
	return nil
}

// programName matches the beginning of a command if it is a program's name, and not shell syntax.
var programName = regexp.MustCompile(`^\s*([A-Za-z0-9_./+~-]+)(?:\s|$)`)

// cannotRun returns why a command cannot run in a directory, as far as that can be said without running it, or "".
func cannotRun(ctx context.Context, command, dir string, source bool) string {
	// The shell's grammar, and on Windows no more: its built-in commands are not files.
	if strings.TrimSpace(command) == "" {
		return "there is no command"
	}
	if runtime.GOOS == "windows" {
		return ""
	}
	check := exec.CommandContext(ctx, "sh", "-n", "-c", command)
	var complaint strings.Builder
	check.Stderr = &complaint
	if err := check.Run(); err != nil {
		return fmt.Sprintf("the shell cannot read %.100q: %.200s", command, printable.Line(strings.TrimSpace(complaint.String())))
	}

	// Its first word, as the shell looks for it.
	found := programName.FindStringSubmatch(command)
	if found == nil {
		return ""
	}
	path := found[1]
	if rest, isHome := strings.CutPrefix(path, "~/"); isHome {
		home, _ := os.UserHomeDir() // without one, the shell finds nothing either
		path = filepath.Join(home, rest)
	}
	if strings.Contains(path, "/") && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	isDir := false
	if info, err := os.Stat(path); err == nil {
		isDir = info.IsDir()
	}
	_, err := exec.LookPath(path)
	switch {
	case isDir && source:
		return ""
	case isDir:
		return fmt.Sprintf("%.100s is a directory", found[1])
	case err != nil:
		return fmt.Sprintf("there is no program %.100s", found[1])
	}
	return ""
}
