package record

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// A Run is something that a deployment has run on this machine.
type Run struct {
	What    string // such as "the function Fn"
	Command string // a line for the shell, or the names of variables; "" if a program is built
	Dir     string // where the command runs, if not here
	Source  string // the directory of the program that is built, or ""
	Built   bool   // it is there already, whatever Source has by now
	Outside bool   // Source is not in the template's directory
	// Kept is of what the state has, and the command that is being carried out has not
	// said: whoever wrote the state did.
	Kept bool
}

// What a command can say, beside functions, types and variables.
const (
	theTemplate = "the template"
	theService  = "the service"
)

func theFunction(name string) string { return "the function " + name }
func theType(name string) string     { return "the type " + name }
func theVariable(name string) string { return "the variable " + name }

// String says what is run, on one line.
func (r Run) String() string {
	text := "runs " + r.What
	if r.Kept {
		text = "runs, as the stack's state says and not this command, " + r.What
	}
	switch {
	case r.Built:
		text += ", as it was built earlier from " + r.Source
	case r.Source != "":
		text += ", built from " + r.Source
	}
	if r.Outside {
		text += ", which is outside of the template's directory"
	}
	if r.Dir != "" {
		text += ", in " + r.Dir
	}
	if r.Command != "" {
		text += ": " + r.Command
	}
	return printable.Line(text)
}

// Same reports whether the same program is run, whoever said so.
func (r Run) Same(other Run) bool {
	return r.Command == other.Command && r.Dir == other.Dir && r.Source == other.Source && r.Built == other.Built
}

// noteGiven takes what a deployment holds as what the command has said that is being carried out.
func (d *Deployment) noteGiven() {
	d.given = map[string]bool{theTemplate: true, theService: d.Service != ""}
	for name := range d.Commands {
		d.given[theFunction(name)] = true
	}
	for name := range d.Types {
		d.given[theType(name)] = true
	}
	for name := range d.Env {
		d.given[theVariable(name)] = true
	}
}

// Runs are what a deployment has run: its functions', its types' and its service's
// programs, in this order. Variables of the environment can lead a program to run
// another: those that are kept are named at the end.
func (d *Deployment) Runs(functions []template.Function) (all []Run) {
	in := d.elsewhere()
	for _, name := range slices.Sorted(maps.Keys(d.Commands)) {
		what := theFunction(name)
		all = append(all, Run{What: what, Command: d.Commands[name], Dir: in, Kept: !d.given[what]})
	}
	all = append(all, d.Builds(functions)...)
	for _, name := range slices.Sorted(maps.Keys(d.Types)) {
		r := Run{What: theType(name), Source: d.SourceOf(name), Kept: !d.given[theType(name)]}
		if r.Source == "" {
			r.Command, r.Dir = d.Types[name].Command, in
		}
		all = append(all, r)
	}
	if d.Service != "" {
		all = append(all, Run{What: theService, Command: d.Service, Dir: in, Kept: !d.given[theService]})
	}
	return append(all, d.keptVariables()...)
}

// keptVariables are the variables of the environment that the state has, as one Run if there
// are any.
func (d *Deployment) keptVariables() []Run {
	variables := slices.Sorted(maps.Keys(d.Env))
	variables = slices.DeleteFunc(variables, func(name string) bool { return d.given[theVariable(name)] })
	if len(variables) == 0 {
		return nil
	}
	return []Run{{What: "the environment variables", Command: strings.Join(variables, ", "), Kept: true}}
}

// List is a command that asks a service what there is, run where all commands are. The
// deployment may be nil.
func (d *Deployment) List(command string) Run {
	return Run{What: "the list of what the service has", Command: command, Dir: d.elsewhere()}
}

// elsewhere is where commands run, or "" if that is this directory.
func (d *Deployment) elsewhere() string {
	if here, err := os.Getwd(); d == nil || err == nil && here == d.Dir {
		return ""
	}
	return d.Dir
}

// Asks are what a check runs: the functions' programs, commands, and what is in the
// assets of those that have neither, with the variables that are kept.
func (d *Deployment) Asks(functions []template.Function) []Run {
	all := d.Builds(functions)
	for _, name := range slices.Sorted(maps.Keys(d.Commands)) {
		all = append(all, Run{What: theFunction(name), Command: d.Commands[name], Dir: d.elsewhere()})
	}
	for _, f := range functions {
		source, _ := d.SourceOfFunction(&f)
		if dir := d.AssetOf(&f); dir != "" && source == "" {
			all = append(all, Run{What: theFunction(f.LogicalID) + ", if it is there", Command: filepath.Join(dir, "bootstrap")})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return append(all, d.keptVariables()...)
}

// Builds are the functions' programs that are built and run, by their directories.
func (d *Deployment) Builds(functions []template.Function) (all []Run) {
	for _, f := range functions {
		dir, outside := d.SourceOfFunction(&f)
		if dir == "" {
			continue
		}
		i := slices.IndexFunc(all, func(r Run) bool { return r.Source == dir })
		if i < 0 {
			all = append(all, Run{What: theFunction(f.LogicalID), Source: dir, Outside: outside, Kept: !d.given[theTemplate]})
			continue
		}
		all[i].What += " and " + f.LogicalID
	}
	return all
}
