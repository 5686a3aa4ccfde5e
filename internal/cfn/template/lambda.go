package template

import (
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// Function is a Lambda function of the template, for the host that runs it.
type Function struct {
	Position
	LogicalID string
	// CodeURI is the directory or file that the code is in, as written: relative to the template. It is "" if the code is
	// in S3, in an image or inline; then a command must be given that runs it.
	CodeURI      string
	Handler      string        // "" for images
	Runtime      string        // such as provided.al2023
	Timeout      time.Duration // 3 s if the template gives none, as in Lambda
	MemorySize   int           // MB, 128 if the template gives none
	Architecture string        // x86_64 if the template gives none, or arm64
	// Environment is the variables, once the resources that they refer to exist.
	Environment func(engine.Refs) (map[string]string, error)
	// Known are the variables that are known before any resource exists.
	Known map[string]string
	// EventInvokeConfig is how asynchronous invocations are tried; Lambda's defaults if the template says nothing.
	EventInvokeConfig EventInvokeConfig
	// SelfInvocationDenied says that the policies of its role do not let the function invoke itself. It is false where the
	// template does not tell.
	SelfInvocationDenied bool

	named      bool     // by a policy that means functions of this name
	configured []string // qualifiers that have an EventInvokeConfig; "" is one that is not known
}

// EventInvokeConfig is how Lambda treats asynchronous invocations of a function.
type EventInvokeConfig struct {
	MaximumRetryAttempts int           // 0 to 2, 2 by default
	MaximumEventAge      time.Duration // 60 s to 6 h, 6 h by default
	OnFailure            *Destination  // nil if spent events are dropped
}

// Destination is where Lambda sends the record of an event that it could not process.
type Destination struct {
	Type      string // Lambda, SQS, SNS, S3, EventBridge, or "" if only the ARN will tell
	LogicalID string // of the resource of this template, or ""
	ARN       func(engine.Refs) (string, error)
}

// function reads one AWS::Lambda::Function. Everything but the environment must be known before the deployment begins.
func (p *planner) function(res *resource) Function {
	f := Function{
		Position: p.report.Position(res.key), LogicalID: res.LogicalID,
		Timeout:           time.Duration(p.number(res, "Timeout", 3, 1, 900)) * time.Second,
		MemorySize:        p.number(res, "MemorySize", 128, 128, 32768),
		Handler:           p.word(res, "Handler"),
		Runtime:           p.word(res, "Runtime"),
		Architecture:      "x86_64",
		EventInvokeConfig: EventInvokeConfig{MaximumRetryAttempts: 2, MaximumEventAge: 6 * time.Hour},
	}
	if architectures, ok := p.static(res, "Architectures"); ok {
		if l, _ := source.Slice(architectures); len(l) == 1 {
			f.Architecture, _ = source.Text(l[0])
		}
		if f.Architecture != "x86_64" && f.Architecture != "arm64" {
			p.report.Errorf(p.place(res, "Architectures"), "Architectures is a list of one, x86_64 or arm64; write Architectures: [arm64]")
		}
	}
	f.CodeURI = p.code(res)
	var variables expr
	if environment, ok := p.pick(res.properties.get("Environment")).(objectExpr); ok {
		variables = environment.get("Variables")
	}
	f.Environment = p.environment(variables, p.place(res, "Environment"))
	f.Known = p.knownVariables(variables)
	return f
}

// Code are the functions of the template, with no more than where their code is, as far as the template says it without the
// values of parameters.
func (t *Template) Code() (all []Function) {
	for _, res := range t.resources {
		if res.Type == typeFunction {
			all = append(all, Function{Position: t.report.Position(res.key), LogicalID: res.LogicalID, CodeURI: codeURI(res.properties.get("Code"), res)})
		}
	}
	return all
}

func (p *planner) code(res *resource) string { return codeURI(p.pick(res.properties.get("Code")), res) }

// codeURI is where the code is on this machine. Templates of the CDK say it in the metadata ("aws:asset:path"), where their
// Code names a bucket.
func codeURI(code expr, res *resource) string {
	if uri, ok := code.(literal); ok {
		if s, _ := source.Text(uri.value); !strings.HasPrefix(s, "s3://") {
			return s
		}
	}
	metadata := res.at.Get("Metadata")
	path, asset := metadata.Get("aws:asset:path").Text()
	if property, _ := metadata.Get("aws:asset:property").Text(); asset && property == "Code" {
		return path
	}
	return ""
}

func (p *planner) knownVariables(variables expr) map[string]string {
	known := map[string]string{}
	all, _ := p.pick(variables).(objectExpr)
	for i, name := range all.names {
		value, err := all.values[i].eval(&evaluation{decisions: p.decisions})
		if s, ok := source.Text(value); ok && err == nil {
			known[name] = s
		}
	}
	return known
}

func (p *planner) environment(variables expr, at *source.Node) func(engine.Refs) (map[string]string, error) {
	return func(refs engine.Refs) (map[string]string, error) {
		out := map[string]string{}
		if variables == nil {
			return out, nil
		}
		ev := &evaluation{decisions: p.decisions, refs: refs}
		v, err := variables.eval(ev)
		if err != nil {
			return nil, err
		}
		all, ok := v.(map[string]any)
		if !ok {
			return nil, ev.fail(at, "the Variables of Environment must be an object of strings, and here is %s", describe(v))
		}
		for name, value := range all {
			if out[name], ok = source.Text(value); !ok {
				return nil, ev.fail(at, "the environment variable %s must be a string, and here is %s", source.Shorten(name), describe(value))
			}
		}
		return out, nil
	}
}

// static evaluates a property that must be known beforehand; false if the template does not give it.
func (p *planner) static(res *resource, name string) (any, bool) {
	e := p.pick(res.properties.get(name))
	if e == nil {
		return nil, false
	}
	v, err := e.eval(&evaluation{decisions: p.decisions})
	if err != nil {
		p.report.Add(err)
		return nil, false
	}
	return v, v != any(noValue{})
}

func (p *planner) word(res *resource, name string) string {
	v, ok := p.static(res, name)
	s, scalar := source.Text(v)
	if ok && !scalar {
		p.report.Errorf(p.place(res, name), "%s must be a string, and here is %s", name, describe(v))
	}
	return s
}

// number is a whole number in bounds; a string of digits will do, as in CloudFormation.
func (p *planner) number(res *resource, name string, otherwise, least, most int) int {
	v, ok := p.static(res, name)
	if !ok {
		return otherwise
	}
	s, _ := source.Text(v)
	i, err := strconv.Atoi(s)
	if err != nil || i < least || i > most {
		p.report.Errorf(p.place(res, name), "%s is a whole number from %d to %d; without it, it is %d", name, least, most, otherwise)
		return otherwise
	}
	return i
}

// place is the node of a property, or of the resource if it is missing.
func (p *planner) place(res *resource, name string) *source.Node {
	if n := res.at.Get("Properties").Get(name); n != nil {
		return n
	}
	return res.key
}

// pick looks through Fn::If at the branch that is taken; nil if there is none or it is AWS::NoValue.
func (p *planner) pick(e expr) expr {
	for {
		choice, ok := e.(ifElse)
		if !ok {
			break
		}
		if e = choice.no; p.conditions[choice.condition] {
			e = choice.yes
		}
	}
	if _, removed := e.(noValue); removed {
		return nil
	}
	return e
}
