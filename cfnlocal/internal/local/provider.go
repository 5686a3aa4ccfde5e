package local

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// A provider is the function or topic behind a ServiceToken, or the function of a registered type, as it
// is now. An update that changes a function's environment takes effect once the function's own
// row says so, and a rollback changes it back. To find a provider starts nothing.
type provider struct {
	arn         string // to be invoked: the token, or the ARN that its alias stands for
	topics      []host.Topic
	subscribers []string          // ARNs of functions of other stacks that listen to the topic
	functions   []host.Function   // the topic's, or the one, and their on-failure destinations
	names       map[string]string // logical IDs, by the functions' names
	forbidden   map[string]bool   // names of functions whose role does not let them invoke themselves
	unbuilt     []unbuilt         // the functions that may not be built yet
	runs        []record.Run      // the programs of other stacks' functions
	unknown     bool              // neither the stack nor a command has it
	reason      string            // why there is no function to call, or ""
}

// An unbuilt function is one of another stack, or of a nested one, whose program may not be built
// yet: the function was unknown until its stack was created.
type unbuilt struct {
	at       int    // its place among the provider's functions
	stack    string // the root stack whose build it is
	revision *record.Revision
	function template.Function
}

// noProgram is the reason for a function, by its logical ID, that has no program here.
func noProgram(function string) string {
	return "The function " + function + " has no program on this machine: its code is not a Go program here; give its command with --function " + function + "=COMMAND"
}

// functionName returns the function's name in an ARN, with or without a qualifier.
func functionName(arn string) string {
	parts := strings.Split(arn, ":")
	return parts[min(len(parts)-1, 6)]
}

// handlerTimeout is how long CloudFormation waits for one answer of a type's handler [D].
const handlerTimeout = 60 * time.Second

// providerOfType returns the provider of a registered type.
func providerOfType(r *record.Record, name string) *provider {
	p := &provider{names: map[string]string{typeFunctionName(name): name}}
	rev := r.RevisionOfType(name)
	if rev == nil {
		p.reason = "The type " + name + " has no function here: give its command with --type " + name + "=COMMAND"
		return p
	}
	f := typeFunction(functionARN(&r.Stack.Options, typeFunctionName(name)), rev, name, r.Programs[rev.Number])
	p.arn, p.functions = f.ARN, []host.Function{f}
	return p
}

// typeFunction returns the function that runs the handlers of a revision's type: the program that was
// built for it, or its command.
func typeFunction(arn string, rev *record.Revision, name string, programs map[string]string) host.Function {
	f := host.Function{
		ARN: arn,
		Dir: rev.Dir, Env: maps.Clone(rev.Env), Timeout: handlerTimeout,
	}
	if program := programs[name]; program != "" {
		f.Command = []string{program}
	} else {
		f.Command = shell(rev.Types[name].Command)
	}
	return f
}

func typeFunctionName(typeName string) string {
	return "registered-" + strings.ReplaceAll(typeName, "::", "-")
}

// declaredFunction returns a function as its properties and its event configuration describe it,
// without its program.
func declaredFunction(of *foundResource, arn string, config eventInvokeConfig) host.Function {
	properties := of.Properties.Map()
	f := host.Function{
		ARN:                  arn,
		Env:                  map[string]string{},
		Handler:              textProperty(properties, "Handler"),
		Timeout:              time.Duration(numberProperty(properties, "Timeout", 3)) * time.Second, // [D] Lambda's own
		MemorySize:           numberProperty(properties, "MemorySize", 128),
		Unavailable:          textProperty(properties, "ReservedConcurrentExecutions") == "0",
		Recursive:            textProperty(properties, "RecursiveLoop") == "Allow",
		MaximumRetryAttempts: numberProperty(config, "MaximumRetryAttempts", 2),
		MaximumEventAge:      time.Duration(numberProperty(config, "MaximumEventAgeInSeconds", 0)) * time.Second, // zero is Lambda's own
	}
	for name, value := range objectProperty(properties, "Environment", "Variables") {
		f.Env[name], _ = value.(string)
	}
	return f
}

// addFunction adds a function with its program: its command, or the program that was or will be built
// from its code.
func (s *search) addFunction(of *foundResource, f host.Function) {
	rev, plan := s.madeBy(of)
	if rev == nil {
		return
	}
	p := s.found

	// The template says whether its role lets the function invoke itself.
	f.Dir = rev.Dir
	maps.Copy(f.Env, rev.Env)
	path := of.stack.PathOf(of.LogicalID)
	var declared template.Function
	if f := plan.Function(of.LogicalID); f != nil {
		declared = *f
		p.forbidden[of.PhysicalID] = f.SelfInvocationDenied
	}

	// A command takes precedence over a built program.
	program := s.record.Programs[rev.Number][path]
	switch command := rev.Commands[of.LogicalID]; {
	case command != "":
		f.Command = shell(command)
	case program != "":
		f.Command, f.Dir = []string{program}, cmp.Or(rev.CodeOf(&declared), rev.Dir)
	case (of.stack.Parent != "" || s.others) && declared.CodeURI != "":
		f.Dir = cmp.Or(rev.CodeOf(&declared), rev.Dir)
		p.unbuilt = append(p.unbuilt, unbuilt{len(p.functions), s.record.Stack.Name, rev, declared})
	default:
		p.reason = noProgram(path)
	}
	if s.others {
		source, _ := rev.SourceOfFunction(&declared)
		p.runs = append(p.runs, record.Run{
			What: "the function " + path + " of the stack " + s.record.Stack.Name, Kept: true,
			Command: mask.Text(rev.Commands[of.LogicalID], s.record.Secrets()), Source: source, Built: source != "",
		})
		path = s.record.Stack.Name + "/" + path
	}
	p.names[of.PhysicalID] = path
	p.functions = append(p.functions, f)
}

// textProperty returns a property as it is on the wire, where all scalars are strings.
func textProperty(properties map[string]any, name string) string {
	s, _ := properties[name].(string)
	return s
}

func numberProperty(properties map[string]any, name string, otherwise int) int {
	n, err := strconv.Atoi(textProperty(properties, name))
	if err != nil {
		return otherwise
	}
	return n
}

// objectProperty returns the object at a path of names, or nil.
func objectProperty(properties map[string]any, names ...string) map[string]any {
	for _, name := range names {
		properties, _ = properties[name].(map[string]any)
	}
	return properties
}

// externalTimeout is the timeout of a function of another stack: the longest there is [D].
const externalTimeout = 15 * time.Minute

// addExternal adds a function that belongs to another stack, or a topic with a function that listens
// to it, by the command that is given for its ARN. It is in no stack here, so the latest command
// applies also while an update is rolled back.
func (s *search) addExternal(token string) {
	rev, p := s.record.Revisions[s.record.Stack.Target], s.found
	p.unknown = true
	if rev == nil {
		p.reason = noTemplate
		return
	}

	// The ARN may name a version or an alias.
	parts := strings.Split(token, ":")
	qualified := len(parts) == 8
	arn := token
	if qualified {
		arn = strings.Join(parts[:7], ":")
	}
	command := rev.CommandOf(token)
	if command == "" {
		p.reason = "The ServiceToken " + token + " names no function of this stack, nor of another one in this directory: refer to one, as in !GetAtt Function.Arn, or deploy with --function ARN=COMMAND, which runs the function of an ARN"
		return
	}

	p.unknown = false

	// A topic has one function, named after it.
	if len(parts) == 6 && parts[2] == "sns" {
		arn = strings.Join([]string{"arn", parts[1], "lambda", parts[3], parts[4], "function", parts[5]}, ":")
		p.topics = append(p.topics, host.Topic{ARN: token, Subscribers: []string{arn}})
	}
	p.names[functionName(arn)] = token
	if qualified {
		arn = token
	}
	p.functions = append(p.functions, host.Function{
		ARN:                  arn,
		Command:              shell(command),
		Dir:                  rev.Dir,
		Env:                  maps.Clone(rev.Env),
		Timeout:              externalTimeout,
		MaximumRetryAttempts: 2, // its template is not here
	})
}
