package template

import (
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Function is a Lambda function of the template, as far as that must be known before the function
// exists.
type Function struct {
	LogicalID string
	// CodeURI is the directory or file that the code is in, as written: relative to the template.
	// It is "" if the code is in S3, in an image or inline; then a command must be given that runs
	// it.
	CodeURI string
	Handler string // "" for images
	// Answers says that the template has a custom resource whose ServiceToken is the function, in
	// any case; only [Template.Code] tells it.
	Answers bool
	// Known are the variables of its environment that depend on no resource.
	Known map[string]string
	// SelfInvocationDenied says that the policies of its role do not let the function invoke
	// itself. It is false where the template does not tell.
	SelfInvocationDenied bool

	timeout    time.Duration
	onFailure  expr     // where the records of events go that it could not process; nil if nowhere
	configured []string // qualifiers that have an EventInvokeConfig; "" is one that is not known
	named      bool     // by a policy that means functions of this name
}

// function reads one AWS::Lambda::Function, and checks what must be known before the deployment
// begins.
func (p *planner) function(res *resource) Function {
	f := Function{
		LogicalID: res.LogicalID,
		CodeURI:   codeURI(p.pick(res.properties.get("Code")), res),
		Handler:   p.word(res, "Handler"),
		Known:     p.knownVariables(res),
		timeout:   time.Duration(p.number(res, "Timeout", 3, 1, 900)) * time.Second,
	}
	p.number(res, "MemorySize", 128, 128, 32768)
	p.word(res, "Runtime")
	if architectures, ok := p.static(res, "Architectures"); ok {
		l, _ := source.Slice(architectures)
		if len(l) != 1 || l[0] != "x86_64" && l[0] != "arm64" {
			p.report.Errorf(p.place(res, "Architectures"), "Architectures is a list of one, x86_64 or arm64; write Architectures: [arm64]")
		}
	}
	return f
}

// Code are the functions of the template, with no more than where their code is, as far as the
// template says it without the values of parameters.
func (t *Template) Code() (all []Function) {
	answers := map[string]bool{}
	for _, res := range t.resources {
		if token, ok := res.properties.get("ServiceToken").(attribute); ok && res.condition == "" && engine.IsCustomResource(res.Type) {
			answers[token.id] = true
		}
	}
	for _, res := range t.resources {
		if res.Type == typeFunction {
			all = append(all, Function{LogicalID: res.LogicalID, CodeURI: codeURI(res.properties.get("Code"), res), Answers: answers[res.LogicalID]})
		}
	}
	return all
}

// codeURI is where the code is on this machine. Templates of the CDK say it in the metadata
// ("aws:asset:path"), where their Code names a bucket.
func codeURI(code expr, res *resource) string {
	if uri, ok := code.(literal); ok {
		if s, _ := source.Text(uri.value); !strings.HasPrefix(s, "s3://") {
			return s
		}
	}
	path, _ := asset(res.at, "Code")
	return path
}

// asset is the path that the CDK says in the metadata of a resource for one of its properties.
func asset(at *source.Node, property string) (path string, ok bool) {
	metadata := at.Get("Metadata")
	of, _ := metadata.Get("aws:asset:property").Text()
	path, ok = metadata.Get("aws:asset:path").Text()
	if of != property {
		return "", false
	}
	return path, ok
}

func (p *planner) knownVariables(res *resource) map[string]string {
	environment, _ := p.pick(res.properties.get("Environment")).(objectExpr)
	variables, _ := p.pick(environment.get("Variables")).(objectExpr)
	known := map[string]string{}
	for i, name := range variables.names {
		value, err := variables.values[i].eval(&evaluation{decisions: p.decisions})
		if s, ok := source.Text(value); ok && err == nil {
			known[name] = s
		}
	}
	return known
}

// static evaluates a property that must be known beforehand; false if the template does not give
// it.
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

// word is a property that must be a string.
func (p *planner) word(res *resource, name string) string {
	v, ok := p.static(res, name)
	text, isText := source.Text(v)
	if ok && !isText {
		p.report.Errorf(p.place(res, name), "%s must be a string, and here is %s", name, describe(v))
	}
	return text
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

// pick looks through Fn::If at the branch that is taken; nil if there is none or it is
// AWS::NoValue.
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
