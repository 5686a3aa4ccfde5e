package local

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// describeTimeout is how long a function without a timeout may take to describe itself.
const describeTimeout = 10 * time.Second

// A ConfigurationError reports a function that cannot answer any request because of a mistake in
// its program, such as the tag cfn:"createonly".
type ConfigurationError struct{ Function, Text string }

func (e *ConfigurationError) Error() string { return e.Function + ": " + e.Text }

// A notConfiguredError is an error message that begins with notConfigured.
type notConfiguredError string

func (e notConfiguredError) Error() string { return string(e) }

const notConfigured = "the function is not configured as it must be: "

// describeFunctions asks the functions of a plan's custom resources which properties they accept,
// with variables in their environment beside those of the template. It asks only programs that were
// built with this SDK: another one might take the question for an event. silent has the reason of
// each function that does not describe itself. A misconfigured one is a *ConfigurationError. tell is
// called with what is waited for.
func describeFunctions(ctx context.Context, plan *template.Plan, programs map[string]describer, variables map[string]string, tell func(string)) (providers map[string]*schema.Provider, silent []string, err error) {
	providers = map[string]*schema.Provider{}
	answers, refused := map[string]*schema.Provider{}, map[string]error{} // by program
	functions := map[string]bool{}
	for _, c := range plan.Customs {
		functions[c.Function] = true
	}
	delete(functions, "")
	// Each program is asked once, also if several functions run it.
	for _, function := range slices.Sorted(maps.Keys(functions)) {
		describer := programs[function]
		program := strings.Join(describer.command, " ")
		if answers[program] == nil && refused[program] == nil {
			env := map[string]string{}
			maps.Copy(env, describer.env)
			if f := plan.Function(function); f != nil {
				maps.Copy(env, f.Known)
			}
			maps.Copy(env, variables)
			answers[program], refused[program] = requestProvider(ctx, describer, env, func(e host.Event) { tell(notReady(function, e)) })
		}
		if wrong, ok := errors.AsType[notConfiguredError](refused[program]); ok {
			return nil, nil, &ConfigurationError{function, string(wrong)}
		}
		if err := refused[program]; err != nil {
			silent = append(silent, "the function "+function+" does not describe itself: "+err.Error())
			continue
		}
		providers[function] = answers[program]
	}
	return providers, silent, nil
}

// requestProvider asks a program to describe itself, unless it might take the question for an event.
func requestProvider(ctx context.Context, p describer, env map[string]string, late func(host.Event)) (*schema.Provider, error) {
	if why := p.whyNotAsked(); why != "" {
		return nil, errors.New(why)
	}
	answer, err := requestDescription(ctx, host.Function{Command: p.command, Dir: p.dir, Env: env}, late)
	if err != nil {
		return nil, err
	}
	return schema.ReadProvider(answer)
}

// requestDescription starts a function, asks it to describe itself, and stops it. late is called if it
// does not get ready.
func requestDescription(ctx context.Context, f host.Function, late func(host.Event)) (json.RawMessage, error) {
	f.ARN, f.Timeout = describedARN, cmp.Or(f.Timeout, describeTimeout)
	limit := host.Allow(f.Timeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := host.New(ctx, host.Config{Event: func(e host.Event) {
		if e.Kind == host.NotReady {
			late(e)
		}
	}})
	defer h.Close()
	if err := h.Add(f); err != nil {
		return nil, err
	}
	result, err := h.Call(ctx, f.ARN, []byte(schema.Question))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it did not answer within %s", limit)
	case err != nil:
		return nil, err
	}
	if result.Kind != host.Succeeded {
		var said struct{ ErrorMessage string }
		_ = json.Unmarshal(result.Payload, &said) // without a message, the error has none either
		return nil, describeError(said.ErrorMessage)
	}
	return result.Payload, nil
}

// describeError turns the error message of a function that failed to describe itself into an error.
func describeError(message string) error {
	if strings.Contains(message, "no ResponseURL") {
		return errors.New("pass schema.Describe to cfnresource.New or NewDispatcher")
	}
	message = strings.ReplaceAll(printable.Cut(message, 500), "\n", "; ")
	if strings.HasPrefix(message, notConfigured) {
		return notConfiguredError(message)
	}
	return errors.New("it failed when it was asked: " + message)
}

// describedARN is the ARN of a function while it is only asked for its schema.
const describedARN = "arn:aws:lambda:us-east-1:123456789012:function:describe"

var errNoSchema = errors.New("its function does not describe itself: set Schema in registry.Options, or give the schema's file with --type-schema")

// describeType asks a function for the schema of its type.
func describeType(ctx context.Context, f host.Function, late func(host.Event)) (json.RawMessage, error) {
	answer, err := requestDescription(ctx, f, late)
	if err != nil {
		return nil, err
	}
	var read struct {
		ResourceTypes []struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"resourceTypes"`
	}
	if err := json.Unmarshal(answer, &read); err != nil || len(read.ResourceTypes) != 1 {
		return nil, errNoSchema
	}
	return read.ResourceTypes[0].Schema, nil
}

// A describer is the program that describes a function. The zero value is none.
type describer struct {
	file    string   // the program, which is inspected before it is started; or ""
	command []string // starts it
	dir     string
	env     map[string]string // in its environment, unless the plan sets the variable
}

// builtProgram returns a program that was built here.
func builtProgram(file string) describer { return describer{file: file, command: []string{file}} }

// commandProgram returns the program that a shell command starts in a directory.
func commandProgram(line, dir string) describer {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if strings.Contains(word, "/") && !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	file, err := exec.LookPath(word)
	if err != nil {
		return describer{} // a builtin of the shell
	}
	return describer{file: file, command: shell(line), dir: dir}
}

// programOfFunction returns the program that a function runs.
func programOfFunction(f *host.Function) (p describer) {
	switch n := len(f.Command); {
	case n == 1:
		p = builtProgram(f.Command[0])
	case n > 1:
		p = commandProgram(strings.TrimPrefix(f.Command[n-1], "exec "), f.Dir)
	}
	p.env = f.Env
	return p
}

// assetProgram returns the program in the directory of a function's code, named as Lambda's OS-only
// runtimes name it: the CDK leaves it there.
func assetProgram(dir string) describer {
	if dir == "" {
		return describer{}
	}
	file := filepath.Join(dir, "bootstrap")
	return describer{file: file, command: []string{file}, dir: dir}
}

const sdkModule = "github.com/cfnresource/sdk-go"

// isMissing reports whether the program does not exist.
func (p *describer) isMissing() bool {
	_, err := os.Stat(p.file)
	return err != nil
}

// whyNotAsked returns why a program is not asked, or "".
func (p *describer) whyNotAsked() string {
	if p.isMissing() {
		return "it is not built here"
	}
	info, err := buildinfo.ReadFile(p.file)
	if err != nil {
		return "it is not made with this SDK"
	}
	if uses := ofSDK(&info.Main) || slices.ContainsFunc(info.Deps, ofSDK); !uses {
		return "it is not made with this SDK"
	}
	return builtForAnother(info.Settings)
}

// ofSDK reports whether a module is this SDK's, or one of those beside it in its repository.
func ofSDK(m *debug.Module) bool {
	return m.Path == sdkModule || strings.HasPrefix(m.Path, sdkModule+"/")
}

// builtForAnother returns why a program does not run on this machine, or "".
func builtForAnother(settings []debug.BuildSetting) string {
	here := map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH}
	for _, s := range settings {
		if here[s.Key] != "" && here[s.Key] != s.Value {
			return "it is built for another machine, with " + s.Key + "=" + s.Value
		}
	}
	return ""
}

// describeTypes reads the schemas of a revision's types from their files, or else asks their
// functions. It returns a *record.TypeError. tell is called with what is waited for.
func describeTypes(ctx context.Context, rev *record.Revision, programs map[string]string, tell func(string)) error {
	for _, name := range slices.Sorted(maps.Keys(rev.Types)) {
		t := rev.Types[name]
		var err error
		if t.File != "" {
			t.Schema, err = record.ReadFile(t.File)
		} else {
			t.Schema, err = describeType(ctx, typeFunction(describedARN, rev, name, programs), func(e host.Event) { tell(notReady(name, e)) })
		}
		if err == nil {
			_, _, err = t.Read(name)
		}
		if err != nil {
			return &record.TypeError{Type: name, Err: err}
		}
		rev.Types[name] = t
	}
	return nil
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
