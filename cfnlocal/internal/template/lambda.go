package template

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Function is a Lambda function of the template, as far as it must be known before the function exists.
type Function struct {
	LogicalID string
	// CodeURI is the directory or file that the code is in, as written: relative to the template.
	// It is "" if the code is in S3, in an image or inline; a command must then run it.
	CodeURI string
	CodeAt  source.Position
	Handler string // "" for images
	// OtherLanguage reports that the Runtime is for another language than Go.
	OtherLanguage bool
	// Known are the variables of its environment that depend on no resource.
	Known map[string]string
	// SelfInvocationDenied says that the policies of its role do not let the function invoke
	// itself. It is false if the template does not show that.
	SelfInvocationDenied bool

	timeout    time.Duration
	eventAge   time.Duration // how long Lambda keeps an event
	onFailure  expr          // the destination for events that it could not process, or nil
	configured []string      // qualifiers that have an EventInvokeConfig; "" is one that is not known
	named      bool          // by a policy that means functions of this name
}

// otherLanguage matches the runtimes of Lambda that cannot run a Go program.
var otherLanguage = regexp.MustCompile(`^(nodejs|python|java|dotnet|ruby)`)

// function reads one AWS::Lambda::Function, and checks what must be known before the deployment
// begins.
func (p *planner) function(res *resource) Function {
	f := Function{
		LogicalID: res.LogicalID,
		CodeURI:   codeURI(p.pick(res.properties.get("Code")), res),
		CodeAt:    p.report.Position(res.place("Code")),
		Handler:   p.word(res, "Handler"),
		Known:     p.knownVariables(res),
		timeout:   time.Duration(p.number(res, "Timeout", 3, 1, 900)) * time.Second,
	}
	// Lambda refuses these in its own API once the function is created: here they are known before the start.
	p.number(res, "MemorySize", 128, 128, 32768)
	if p.number(res, "ReservedConcurrentExecutions", -1, 0, 1_000_000) == 0 {
		p.report.Warnf(res.place("ReservedConcurrentExecutions"), "with a concurrency of 0 Lambda gives up each event of the function %s without an attempt; remove ReservedConcurrentExecutions, or write 1 or more", f.LogicalID)
	}
	for _, property := range functionWords {
		if word := p.predictText(res.properties.get(property.name)); word != "" && !slices.Contains(property.allowed, word) {
			p.report.Checkf(res.place(property.name), "%s must be one of %s", property.name, strings.Join(property.allowed, ", "))
		}
	}
	runtime := p.word(res, "Runtime")
	// An empty Runtime is one of an image, or a mistake that checkArchive reports.
	f.OtherLanguage = otherLanguage.MatchString(runtime)
	p.checkRuntime(res, runtime)
	p.checkInline(res, runtime)
	p.checkArchive(res)
	p.checkEnvironment(res, f.Known)
	// CloudFormation takes the list, and Lambda exactly one of it.
	if architectures, ok := p.static(res, "Architectures"); ok {
		l, _ := source.Slice(architectures)
		if len(l) != 1 || !slices.Contains([]any{"x86_64", "arm64"}, l[0]) {
			p.report.Errorf(res.place("Architectures"), "Architectures must be a list of one, x86_64 or arm64; write Architectures: [arm64]")
		}
	}
	return f
}

// Code returns the functions of the template with the places of their code, as far as the template shows
// them without the values of parameters. Their other fields are not set.
func (t *Template) Code() (all []Function) {
	for _, res := range t.resources {
		if res.Type == typeFunction {
			all = append(all, Function{LogicalID: res.LogicalID, CodeURI: codeURI(res.properties.get("Code"), res)})
		}
	}
	return all
}

// codeURI is the place of the code on this machine. In templates of the CDK it is in the metadata
// ("aws:asset:path"), since their Code names a bucket.
func codeURI(code expr, res *resource) string {
	if uri, ok := code.(literal); ok {
		if s, _ := source.Text(uri.value); !strings.HasPrefix(s, "s3://") {
			return s
		}
	}
	path, _ := asset(res.at, "Code")
	return path
}

// asset is the path in the CDK's metadata of a resource for one of its properties.
func asset(at *source.Node, property string) (path string, ok bool) {
	metadata := at.Get("Metadata")
	assetProperty, _ := metadata.Get("aws:asset:property").Text()
	path, ok = metadata.Get("aws:asset:path").Text()
	if assetProperty != property {
		return "", false
	}
	return path, ok
}

func (p *planner) knownVariables(res *resource) map[string]string {
	environment, _ := p.pick(res.properties.get("Environment")).(objectExpr)
	variables, _ := p.pick(environment.get("Variables")).(objectExpr)
	known := map[string]string{}
	for i, name := range variables.names {
		value, err := p.early().eval(variables.values[i])
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
	if p.stack.Later != nil && p.isGuess(e) {
		return nil, false
	}
	return p.known(e)
}

// known evaluates an expression that must be known beforehand, and reports an error if it is not; false
// if it is nil, or AWS::NoValue.
func (p *planner) known(e expr) (any, bool) {
	if e == nil {
		return nil, false
	}
	v, err := p.early().eval(e)
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
		p.report.Errorf(res.place(name), "%s must be a string, not %s", name, describe(v))
	}
	return text
}

// number is a whole number in bounds; a string of digits will do, as in CloudFormation. Without it, it is otherwise,
// which is out of bounds if there is no default.
func (p *planner) number(res *resource, name string, otherwise, least, most int) int {
	v, ok := p.static(res, name)
	if !ok {
		return otherwise
	}
	s, _ := source.Text(v)
	i, err := strconv.Atoi(s)
	if err != nil || i < least || i > most {
		if otherwise < least {
			p.report.Errorf(res.place(name), "%s must be a whole number, %d or more", name, least)
		} else {
			p.report.Errorf(res.place(name), "%s must be a whole number from %d to %d; without it, it is %d", name, least, most, otherwise)
		}
		return otherwise
	}
	return i
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

// eventInvokeConfigs gives each function the settings of its AWS::Lambda::EventInvokeConfig.
func (p *planner) eventInvokeConfigs(active []*resource, plan *Plan) {
	for _, res := range active {
		if res.Type != typeEventInvoke {
			continue
		}
		f := plan.Function(p.functionOf(res.properties.get("FunctionName")))
		if f == nil {
			p.report.Warnf(res.key, "this has no effect here: it is not clear which function of this template it is for; write FunctionName: !Ref Function")
			continue
		}
		p.number(res, "MaximumRetryAttempts", 2, 0, 2)
		f.eventAge = time.Duration(p.number(res, "MaximumEventAgeInSeconds", 21600, 60, 21600)) * time.Second
		f.onFailure = p.onFailureOf(res)
		f.configured = append(f.configured, p.predictText(res.properties.get("Qualifier")))
	}
}

// onFailureOf is the on-failure destination of an EventInvokeConfig, or nil.
func (p *planner) onFailureOf(res *resource) expr {
	destinations, _ := p.pick(res.properties.get("DestinationConfig")).(objectExpr)
	onFailure, _ := p.pick(destinations.get("OnFailure")).(objectExpr)
	return p.pick(onFailure.get("Destination"))
}

// services are those that destinations can be of, as ARNs have them.
var services = map[string]string{"lambda": "Lambda", "sqs": "SQS", "sns": "SNS", "s3": "S3", "events": "EventBridge"}

// destinationType is the service of a destination, from the resource that it refers to or from a
// literal ARN, or "" if it is not known yet.
func (p *planner) destinationType(e expr) string {
	if id, _ := p.named(e); id != "" {
		service, _, _ := strings.Cut(strings.TrimPrefix(p.names.resources[id].Type, "AWS::"), "::")
		return services[strings.ToLower(service)]
	}
	// An ARN that is put together has its service in the text before the first value.
	arn := ""
	switch e := e.(type) {
	case sub:
		arn = e.pieces[0].text
	case literal:
		arn, _ = source.Text(e.value)
	}
	parts := strings.SplitN(arn, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return services[parts[2]]
}

// functionOf is the logical ID of the function that a name or an ARN refers to, or "": Ref or Arn
// of the function itself, of one of its versions or aliases, or its literal FunctionName.
func (p *planner) functionOf(e expr) string { return p.functionBehind(e, 1) }

// functionBehind follows at most so many versions and aliases: two can refer to each other, which
// is reported elsewhere.
func (p *planner) functionBehind(e expr, links int) string {
	if !p.budget.step() {
		return ""
	}
	// The resource that the expression refers to.
	var id string
	switch e := p.pick(e).(type) {
	case attribute:
		id = e.id
	case resourceRef:
		id = e.id
	case sub:
		for _, value := range e.values {
			if found := p.functionBehind(value, links); found != "" {
				return found
			}
		}
		return ""
	case literal:
		return p.functionNamed(e)
	default:
		return ""
	}
	// The function, or its version or alias.
	target := p.names.resources[id]
	switch target.Type {
	case typeFunction:
		return id
	case "AWS::Lambda::Alias", "AWS::Lambda::Version":
		if links > 0 {
			return p.functionBehind(target.properties.get("FunctionName"), links-1)
		}
	}
	return ""
}

func (p *planner) functionNamed(name literal) string {
	wanted, _ := source.Text(name.value)
	for _, res := range p.template.resources {
		// A name that is made up by CloudFormation cannot be written anywhere.
		own, ok := res.properties.get("FunctionName").(literal)
		if !ok || res.Type != typeFunction {
			continue
		}
		if s, _ := source.Text(own.value); s == wanted || strings.HasSuffix(wanted, ":function:"+s) {
			return res.LogicalID
		}
	}
	return ""
}

// Subscription is a function that receives the notifications of an SNS topic, so that the topic can be a
// ServiceToken.
type Subscription struct {
	Position
	TopicID, FunctionID string // logical IDs
	// Endpoint is the ARN of a function of another stack, as far as no resource decides it, and
	// FunctionID is "".
	Endpoint string

	endpoint expr
	at       *source.Node // of the endpoint
}

// subscriptions are the lambda subscriptions of AWS::SNS::Subscription and of the topics
// themselves. Those whose topic is not of this template are left out: nothing here can publish to
// it.
func (p *planner) subscriptions(active []*resource) []Subscription {
	var all []Subscription
	add := func(res *resource, property, topic string, subscription objectExpr) {
		// Other protocols deliver to no function, and nothing answers for them here.
		protocol, _ := p.pick(subscription.get("Protocol")).(literal)
		endpoint := subscription.get("Endpoint")
		if protocol.value != "lambda" || topic == "" || endpoint == nil {
			return
		}
		s := Subscription{Position: p.report.Position(res.key), TopicID: topic, FunctionID: p.functionOf(endpoint), endpoint: endpoint, at: res.place(property)}
		if s.FunctionID == "" {
			s.Endpoint, _ = p.early().text(p.given(endpoint), s.at, property)
		}
		all = append(all, s)
	}
	// CloudFormation has both forms: a resource of its own, and a property of the topic.
	for _, res := range active {
		switch res.Type {
		case "AWS::SNS::Subscription":
			add(res, "Endpoint", p.topicOf(res.properties.get("TopicArn")), res.properties)
		case "AWS::SNS::Topic":
			own, _ := p.pick(res.properties.get("Subscription")).(listExpr)
			for _, item := range own.items {
				if subscription, ok := p.pick(item).(objectExpr); ok {
					add(res, "Subscription", res.LogicalID, subscription)
				}
			}
		}
	}
	return all
}
