package local

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A provider is the function or topic behind a ServiceToken, or the function of a registered type, as it
// is now. An update that changes a function's environment takes effect once the function's own
// row says so, and a rollback changes it back. To find a provider starts nothing.
type provider struct {
	arn                string // to be invoked: the token, or the ARN that its alias stands for
	topics             []host.Topic
	foreignSubscribers []string          // ARNs of functions of other stacks that listen to the topic
	functions          []host.Function   // the topic's, or the one, and their on-failure destinations
	names              map[string]string // logical IDs, by the functions' names
	forbidden          map[string]bool   // names of functions whose role does not let them invoke themselves
	declared           []declared        // the functions that stacks here have
	unbuilt            []unbuilt         // the functions that may not be built yet
	runs               []record.Run      // the programs of other stacks' functions
	unknown            bool              // neither the stack nor a command has it
	reason             string            // why there is no function to call, or ""
}

// external reports whether the function is in no stack here, so that a command for its ARN answers, or would.
func (p *provider) external() bool {
	return len(p.declared) == 0 && (p.unknown || len(p.functions) > 0)
}

// A declared function is one that a template declares.
type declared struct {
	stack    string // the root stack
	path     string // from there
	revision *record.Revision
	function template.Function
}

// An unbuilt function is one whose program may not be built yet: it is another stack's, or was unknown until its nested stack
// was created, or a rollback has gone back to it.
type unbuilt struct {
	at       int    // its place among the provider's functions
	stack    string // the root stack whose build it is
	revision *record.Revision
	function template.Function
}

// noProgram is the reason for a function, by its logical ID, that has no program here.
func noProgram(function string) string {
	return "The function " + function + " has no program on this machine: its code is not a Go program here, and no command is given for it"
}

// nameInARN returns the function's name in an ARN, with or without a qualifier.
func nameInARN(arn string) string {
	parts := strings.Split(arn, ":")
	return parts[min(len(parts)-1, 6)]
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
func (s *search) addFunction(res *foundResource, f host.Function) {
	rev, plan := s.madeBy(res)
	if rev == nil {
		return
	}
	p := s.found

	// The template says whether its role lets the function invoke itself.
	f.Dir = rev.Dir
	maps.Copy(f.Env, rev.Env)
	path := res.stack.PathOf(res.LogicalID)
	var function template.Function
	if f := plan.Function(res.LogicalID); f != nil {
		function = *f
		p.forbidden[res.PhysicalID] = f.SelfInvocationDenied
	}
	p.declared = append(p.declared, declared{s.record.Stack.Name, path, rev, function})

	// A command takes precedence over a built program.
	program := s.record.Programs[rev.Number][path]
	switch command := rev.Commands[res.LogicalID]; {
	case command != "":
		f.Command = shell(command)
	case program != "":
		f.Command, f.Dir = []string{program}, cmp.Or(rev.CodeOf(&function), rev.Dir)
	case function.CodeURI != "":
		f.Dir = rev.CodeOf(&function)
		p.unbuilt = append(p.unbuilt, unbuilt{len(p.functions), s.record.Stack.Name, rev, function})
	default:
		p.reason = noProgram(path)
	}
	if s.isOther {
		source, _ := rev.SourceOfFunction(&function)
		p.runs = append(p.runs, record.Run{
			What: "the function " + path + " of the stack " + s.record.Stack.Name, Kept: true,
			Command: mask.Text(rev.Commands[res.LogicalID], s.record.Secrets()), Source: source, Built: source != "",
		})
		path = s.record.Stack.Name + "/" + path
	}
	p.names[res.PhysicalID] = path
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
		p.reason = "The ServiceToken " + token + " names no function of this stack, nor of another one in this directory: refer to one, as in !GetAtt Function.Arn, or give the command of its ARN"
		return
	}

	p.unknown = false

	// A topic has one function, named after it.
	if len(parts) == 6 && parts[2] == "sns" {
		arn = strings.Join([]string{"arn", parts[1], "lambda", parts[3], parts[4], "function", parts[5]}, ":")
		p.topics = append(p.topics, host.Topic{ARN: token, Subscribers: []string{arn}})
	}
	p.names[nameInARN(arn)] = token
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

func newSearch(r *record.Record, token string) *search {
	return &search{record: r, stacks: r.Stack.All(), found: &provider{arn: token, names: map[string]string{}, forbidden: map[string]bool{}}}
}

// findOwn finds the stack's own function or topic behind a token, and reports whether it has one.
func (s *search) findOwn(token string) bool {
	if topic := s.resource("AWS::SNS::Topic", func(res *engine.StackResource) bool { return res.PhysicalID == token }); topic != nil {
		s.addTopic(topic)
		return true
	}
	f := s.function(token)
	if f == nil {
		return false
	}
	s.found.arn = s.invokedARN(f.StackResource, token)
	s.addWithDestination(f, s.found.arn)
	return true
}

// A search looks through a stack and the stacks nested in it, as they are now: a template can pass
// the ARN of a function to a nested one.
type search struct {
	record  *record.Record
	stacks  []*engine.Stack
	isOther bool // the record is another stack's
	found   *provider
}

// A foundResource is a resource, and the stack that it was found in.
type foundResource struct {
	*engine.StackResource
	stack *engine.Stack
}

// resource returns the first resource of a type for which is reports true, or nil. It compares the
// type first, because reading properties means parsing them.
func (s *search) resource(wanted string, is func(*engine.StackResource) bool) *foundResource {
	for _, stack := range s.stacks {
		if res := resourceIn(stack, wanted, is); res != nil {
			return res
		}
	}
	return nil
}

func resourceIn(stack *engine.Stack, wanted string, is func(*engine.StackResource) bool) *foundResource {
	for _, list := range [][]*engine.StackResource{stack.Resources, stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool {
			return res.Type == wanted && exists(res) && is(res)
		}); i >= 0 {
			return &foundResource{list[i], stack}
		}
	}
	return nil
}

// madeBy returns the revision that last changed a resource, and its plan. If there is none, it
// sets the reason.
func (s *search) madeBy(res *foundResource) (*record.Revision, *template.Plan) {
	rev := s.record.RevisionFor(res.stack, res.StackResource)
	if rev == nil {
		s.found.reason = noTemplate
		return nil, nil
	}
	plan, err := rev.Plan(res.stack)
	if err != nil { // such as a nested stack whose import no longer exists
		s.found.reason = err.Error()
		return nil, nil
	}
	return rev, plan
}

const noTemplate = "The stack no longer has a template"

const functionType = "AWS::Lambda::Function"

// function returns the function of an ARN or a name, also through an alias or a version, or nil.
func (s *search) function(token string) *foundResource {
	f := s.resource(functionType, func(res *engine.StackResource) bool {
		arn := s.arn(res)
		return token == arn || token == res.PhysicalID || strings.HasPrefix(token, arn+":")
	})
	if f != nil {
		return f
	}
	qualified := s.qualified(token)
	if qualified == nil {
		return nil
	}
	if name := textProperty(qualified.Properties.Map(), "FunctionName"); name != token {
		return s.function(name)
	}
	return nil
}

func (s *search) qualified(id string) *foundResource {
	is := func(res *engine.StackResource) bool { return res.PhysicalID == id }
	if alias := s.resource("AWS::Lambda::Alias", is); alias != nil {
		return alias
	}
	return s.resource("AWS::Lambda::Version", is)
}

// invokedARN returns the ARN by which a token invokes a function: the function's
// ARN with the version or the alias that the token names.
func (s *search) invokedARN(f *engine.StackResource, token string) string {
	arn := s.arn(f)
	if strings.HasPrefix(token, arn+":") {
		return token
	}
	switch qualified := s.qualified(token); {
	case qualified == nil:
		return arn
	case qualified.Type == "AWS::Lambda::Alias":
		return arn + ":" + textProperty(qualified.Properties.Map(), "Name")
	default:
		return arn + ":" + token[strings.LastIndexByte(token, ':')+1:]
	}
}

// arn is the ARN of a function without a qualifier.
func (s *search) arn(res *engine.StackResource) string {
	return functionARN(&s.record.Stack.Options, res.PhysicalID)
}

func functionARN(o *engine.Options, name string) string {
	return "arn:" + engine.PartitionOf(o.Region).Name + ":lambda:" + o.Region + ":" + o.Account + ":function:" + name
}

func (s *search) addTopic(topic *foundResource) {
	t := host.Topic{ARN: topic.PhysicalID, MaxMessage: numberProperty(topic.Properties.Map(), "MaximumMessageSize", 0)}
	_, plan := s.madeBy(topic)
	if plan == nil {
		return
	}
	subscribe := func(f *foundResource) {
		s.addWithDestination(f, s.arn(f.StackResource))
		t.Subscribers = append(t.Subscribers, s.arn(f.StackResource))
	}
	for _, subscription := range plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		if subscription.Endpoint != "" {
			s.found.foreignSubscribers = append(s.found.foreignSubscribers, subscription.Endpoint)
		}
		f := resourceIn(topic.stack, functionType, func(res *engine.StackResource) bool { return res.LogicalID == subscription.FunctionID })
		if f != nil {
			subscribe(f)
		}
	}
	// An endpoint that a resource decides is known by now.
	s.resource("AWS::SNS::Subscription", func(res *engine.StackResource) bool {
		properties := res.Properties.Map()
		endpoint := textProperty(properties, "Endpoint")
		if textProperty(properties, "TopicArn") != topic.PhysicalID || textProperty(properties, "Protocol") != "lambda" {
			return false
		}
		switch f := s.function(endpoint); {
		case f == nil && !slices.Contains(s.found.foreignSubscribers, endpoint):
			s.found.foreignSubscribers = append(s.found.foreignSubscribers, endpoint)
		case f != nil && !slices.Contains(t.Subscribers, s.arn(f.StackResource)):
			subscribe(f)
		}
		return false
	})
	s.found.topics = append(s.found.topics, t)
}

// addWithDestination adds a function by the ARN that invokes it, and the function that gets its failed events. It
// does not follow the on-failure destination of the latter.
func (s *search) addWithDestination(function *foundResource, arn string) {
	config := s.eventInvokeConfig(function, arn)
	f := declaredFunction(function, arn, config)
	failures := s.function(config.onFailure())
	if failures == nil {
		s.addFunction(function, f)
		return
	}
	f.OnFailure = s.invokedARN(failures.StackResource, config.onFailure())
	s.addFunction(function, f)
	s.addFunction(failures, declaredFunction(failures, f.OnFailure, s.eventInvokeConfig(failures, f.OnFailure)))
}
