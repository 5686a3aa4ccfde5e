// Package provider finds out what is behind a ServiceToken, or a type of the registry, as it is
// deployed now: an update that changes a function's environment has changed it once the function's
// own row says so, and a rollback changes it back. Nothing is started here.
package provider

import (
	"maps"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/service"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// A Provider is what is behind a ServiceToken or a type.
type Provider struct {
	ARN       string // to be invoked: the token, or what its alias stands for
	Topics    []host.Topic
	Functions []host.Function   // those of the topic, or the one, and destinations
	Names     map[string]string // logical IDs, by the functions' names
	Forbidden map[string]bool   // names of functions whose role does not let them invoke themselves
	Unbuilt   []Unbuilt         // of the functions
	Reason    string            // why there is nothing to be called, or ""
}

// An Unbuilt function is one of a nested stack whose program may not be there yet:
// what it is, was known once its stack was made.
type Unbuilt struct {
	At         int // its place among the provider's functions
	Deployment *record.Deployment
	Function   template.Function
}

// NoProgram is the Reason of a function, by its logical ID, that has no program here.
func NoProgram(function string) string {
	return "The function " + function + " has no program on this machine: its code is no Go program here; give its command with --function " + function + "=COMMAND"
}

// FunctionName is the function's name in an ARN, with a qualifier or without.
func FunctionName(arn string) string {
	parts := strings.Split(arn, ":")
	return parts[min(len(parts)-1, 6)]
}

// callTimeout is how long CloudFormation waits for one answer of a type's handler [D].
const callTimeout = 60 * time.Second

// OfType returns the provider of a registered type.
func OfType(r *record.Record, name string) *Provider {
	p := &Provider{Names: map[string]string{typeFunctionName(name): name}}
	d := r.DeploymentOfType(name)
	if d == nil {
		p.Reason = "The type " + name + " has no function here: give its command with --type " + name + "=COMMAND"
		return p
	}
	f := TypeFunction(d, name, r.Programs[d.Revision])
	p.ARN, p.Functions = f.ARN, []host.Function{f}
	return p
}

// TypeFunction is what runs the handlers of a deployment's type: its program, by the
// type's name, or its command.
func TypeFunction(d *record.Deployment, name string, programs map[string]string) host.Function {
	f := host.Function{
		ARN: "arn:aws:lambda:us-east-1:123456789012:function:" + typeFunctionName(name),
		Dir: d.Dir, Env: maps.Clone(d.Env), Timeout: callTimeout,
	}
	if program := programs[name]; program != "" {
		f.Command = []string{program}
	} else {
		f.Command = service.Shell(d.Types[name].Command)
	}
	return f
}

func typeFunctionName(typeName string) string {
	return "registered-" + strings.ReplaceAll(typeName, "::", "-")
}
