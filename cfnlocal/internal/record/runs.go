package record

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// A Run is a program or a command that a revision runs on this machine.
type Run struct {
	What    string // what it is, such as "the function Fn"
	Command string // a line for the shell, or the names of variables; "" if a program is built
	Dir     string // where the command runs, if not here
	Source  string // the directory of the program that is built, or ""
	Built   bool   // it is already built, whatever Source contains by now
	Outside bool   // Source is not in the template's directory
	// Kept is set if the stack's state specifies it and the present command does not: whoever wrote
	// the state did.
	Kept bool
	// Deployment is the one whose revision it is, and Since the one with which it came; or 0.
	Deployment, Since int
	// Back is what a rollback goes back to where that differs, and Left what one that has begun comes
	// from; or "".
	Back, Left string
}

// What a command can specify, besides functions, types and variables.
const (
	theTemplate  = "the template"
	theService   = "the service"
	theVariables = "the environment variables"
)

func theFunction(name string) string { return "the function " + name }
func theType(name string) string     { return "the type " + name }
func theVariable(name string) string { return "the variable " + name }

// String describes what is run, on one line.
func (r Run) String() string {
	if r.none() && r.Back != "" {
		return printable.Line("a rollback goes back to " + r.What + strings.TrimPrefix(r.Back, that))
	}
	// Who specified it comes first: a program that a stranger's state names must not pass for one's own.
	text := "runs " + r.What
	if r.Kept {
		text = "runs, as the stack's state says and not this command, " + r.What
	}
	if r.Since > 0 {
		text += ", since deployment " + strconv.Itoa(r.Since)
	}
	// What would run, and where.
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
	// What the same operation can run as well, if it fails.
	if r.Back != "" {
		text += "; a rollback goes back to " + r.Back
	}
	if r.Left != "" {
		text += "; the rollback replaces " + r.Left
	}
	return printable.Line(text)
}

// none reports whether nothing is run.
func (r Run) none() bool { return r.Command == "" && r.Source == "" }

// same reports whether both run the same program, whoever specified it.
func (r Run) same(other Run) bool {
	program := func(r Run) Run { return Run{Command: r.Command, Dir: r.Dir, Source: r.Source, Built: r.Built} }
	return program(r) == program(other)
}

// goesBack reports whether a rollback leads back to it: a type and the service stay as they are.
func (r Run) goesBack() bool {
	return r.What == theVariables || strings.HasPrefix(r.What, theFunction(""))
}

const that = "that"

// asFormer names the Run as that of an earlier deployment than now's.
func (r Run) asFormer(now Run) string {
	text := that + " of deployment " + strconv.Itoa(r.Deployment)
	switch {
	case r.Source != "" && r.Source == now.Source:
		text = "the build of deployment " + strconv.Itoa(r.Deployment)
	case r.Source != "":
		text += ", built from " + r.Source
	case r.Command != "":
		text += ": " + r.Command
	}
	return text
}

// Together returns one Run for each thing: what runs it now, and what a rollback goes back to. now are
// those of the next revision, and kept those of the revisions that the stack can be at. If nothing is
// next, the first that is kept runs now, and one of a later deployment is what a rollback replaces. Functions that are built from one directory are one Run.
func Together(now, kept []Run, next bool) []Run {
	// What is kept joins the Run of the same thing. Only a function and the variables can go back.
	all := slices.Clone(now)
	for _, k := range kept {
		i := slices.IndexFunc(all, func(r Run) bool { return r.What == k.What })
		switch {
		case i < 0 && next && k.goesBack():
			all = append(all, Run{What: k.What, Back: k.asFormer(Run{})})
		case i < 0:
			all = append(all, k)
		case all[i].same(k):
			all[i].Since = cmp.Or(all[i].Since, k.Since)
		case !k.goesBack():
		case !next && k.Deployment > all[i].Deployment:
			all[i].Left = k.asFormer(all[i])
		case all[i].Back == "":
			all[i].Back = k.asFormer(all[i])
		case !strings.Contains(all[i].Back, k.asFormer(all[i])):
			all[i].Back += ", or " + k.asFormer(all[i])
		}
	}
	// A build that several functions share is one line, so that nobody reads one program as several.
	var joined []Run
	for _, r := range all {
		i := slices.IndexFunc(joined, func(one Run) bool {
			sameRollback := one.Back == r.Back && one.Left == r.Left
			return sameRollback && sameBuild(one, r)
		})
		if name, is := strings.CutPrefix(r.What, theFunction("")); is && i >= 0 {
			joined[i].What += " and " + name
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// sameBuild reports whether two Runs are one build since one deployment.
func sameBuild(a, b Run) bool { return b.Source != "" && a.same(b) && a.Since == b.Since }

// noteGiven records that the present command specifies what the revision has now.
func (rev *Revision) noteGiven() {
	rev.given = map[string]bool{theTemplate: true, theService: rev.Service != ""}
	for name := range rev.Commands {
		rev.given[theFunction(name)] = true
	}
	for name := range rev.Types {
		rev.given[theType(name)] = true
	}
	for name := range rev.Env {
		rev.given[theVariable(name)] = true
	}
}

// Differs returns which functions and types a revision runs by other commands than a former one, and
// which variables differ.
func (rev *Revision) Differs(former *Revision) (all []string) {
	all = append(all, differing(rev.Commands, former.Commands, theFunction)...)
	all = append(all, differing(rev.Env, former.Env, theVariable)...)
	// A type's schema decides how CloudFormation treats it, so it differs with its schema, even if its command does not.
	commands := func(types map[string]Type) map[string]string {
		all := map[string]string{}
		for name, t := range types {
			all[name] = t.Command + "\n" + string(t.Schema)
		}
		return all
	}
	all = append(all, differing(commands(rev.Types), commands(former.Types), theType)...)
	return all
}

// differing names the entries that are not the same in both maps.
func differing(now, former map[string]string, what func(name string) string) (all []string) {
	for name := range merged(former, now) {
		if value, is := now[name]; !is || value != former[name] {
			all = append(all, what(name))
		}
	}
	return all
}

// Runs returns the programs of a revision's functions, types and service, in this order. An
// environment variable can lead a program to run another, so those that are kept come at the end.
func (rev *Revision) Runs(functions []template.Function) (all []Run) {
	in := rev.elsewhere()
	for _, name := range slices.Sorted(maps.Keys(rev.Commands)) {
		what := theFunction(name)
		all = append(all, Run{What: what, Command: rev.Commands[name], Dir: in, Kept: !rev.given[what]})
	}
	all = append(all, rev.builds(functions)...)
	for _, name := range slices.Sorted(maps.Keys(rev.Types)) {
		r := rev.RunOfType(name)
		r.Kept = !rev.given[r.What]
		all = append(all, r)
	}
	if rev.Service != "" {
		all = append(all, Run{What: theService, Command: rev.Service, Dir: in, Kept: !rev.given[theService]})
	}
	return append(all, rev.keptVariables()...)
}

// RunsOf returns the Runs of one of a stack's revisions, by their names as seen from the root stack.
func (r *Record) RunsOf(s *engine.Stack, rev *Revision) ([]Run, error) {
	plan, err := rev.Plan(s)
	if err != nil {
		return nil, err
	}
	all := rev.Runs(rev.Functions(plan))
	for i := range all {
		all[i].Deployment = rev.Number
		// A function given by its ARN belongs to no stack, so it has no path.
		name, is := strings.CutPrefix(all[i].What, theFunction(""))
		if !is || strings.HasPrefix(name, "arn:") {
			continue
		}
		name = s.PathOf(name)
		all[i].What = theFunction(name)
		// The same code with other variables does something else, so it is not the same since then.
		if root := r.Revisions[rev.Number]; root != nil && (r.Next == nil || maps.Equal(r.Next.Env, root.Env)) {
			all[i].Since = root.Since[name]
		}
	}
	return all, nil
}

// RunOf returns the Run of a function; without Source and Command if it has no program here.
func (rev *Revision) RunOf(f *template.Function) Run {
	r := Run{What: theFunction(f.LogicalID)}
	if r.Source, r.Outside = rev.SourceOfFunction(f); r.Source == "" {
		r.Command, r.Dir = rev.Commands[f.LogicalID], rev.elsewhere()
	}
	return r
}

// RunOfType returns the Run of a type's handlers.
func (rev *Revision) RunOfType(name string) Run {
	r := Run{What: theType(name), Source: rev.SourceOf(name)}
	if r.Source == "" {
		r.Command, r.Dir = rev.Types[name].Command, rev.elsewhere()
	}
	return r
}

// RunOfService returns the Run of the service of a stack for the operations of another one. The command has its secrets hidden.
func (rev *Revision) RunOfService(stack, command string) Run {
	return Run{What: theService + " of the stack " + stack, Command: command, Dir: rev.elsewhere(), Kept: true}
}

// keptVariables returns the environment variables that only the state specifies, as one Run, or none.
func (rev *Revision) keptVariables() []Run {
	variables := slices.Sorted(maps.Keys(rev.Env))
	variables = slices.DeleteFunc(variables, func(name string) bool { return rev.given[theVariable(name)] })
	if len(variables) == 0 {
		return nil
	}
	return []Run{{What: theVariables, Command: strings.Join(variables, ", "), Kept: true}}
}

// List returns the Run of a command that lists what a service has. The revision may be nil.
func (rev *Revision) List(command string) Run {
	return Run{What: "the list of what the service has", Command: command, Dir: rev.elsewhere()}
}

// elsewhere returns where commands run, or "" if that is the working directory.
func (rev *Revision) elsewhere() string {
	if here, err := os.Getwd(); rev == nil || err == nil && here == rev.Dir {
		return ""
	}
	return rev.Dir
}

// Asks returns what a check runs: the functions' programs, their commands, what is in the assets of
// functions that have neither, and the variables that are kept.
func (rev *Revision) Asks(functions []template.Function) []Run {
	all := Together(rev.builds(functions), nil, true)
	for _, name := range slices.Sorted(maps.Keys(rev.Commands)) {
		all = append(all, Run{What: theFunction(name), Command: rev.Commands[name], Dir: rev.elsewhere()})
	}
	// A function of another language can have its program beside the template, under the name that Lambda's own runtime starts.
	for _, f := range functions {
		source, _ := rev.SourceOfFunction(&f)
		if dir := rev.AssetOf(&f); dir != "" && source == "" {
			all = append(all, Run{What: theFunction(f.LogicalID) + ", if it is there", Command: filepath.Join(dir, "bootstrap")})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return append(all, rev.keptVariables()...)
}

// builds returns the functions' programs that are built and run.
func (rev *Revision) builds(functions []template.Function) (all []Run) {
	for _, f := range functions {
		if dir, outside := rev.SourceOfFunction(&f); dir != "" {
			all = append(all, Run{What: theFunction(f.LogicalID), Source: dir, Outside: outside, Kept: !rev.given[theTemplate]})
		}
	}
	return all
}
