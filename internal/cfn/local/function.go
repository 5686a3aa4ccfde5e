package local

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// A provider is what is behind a ServiceToken, as it is deployed now: an update
// that changes a function's environment has changed it once the function's own
// row says so, and a rollback changes it back.
type provider struct {
	arn       string // to be invoked: the token, or what its alias stands for
	topics    []host.Topic
	functions []host.Function   // those of the topic, or the one, and destinations
	names     map[string]string // logical IDs, by the functions' names
	forbidden map[string]bool   // names of functions whose role does not let them invoke themselves
	unbuilt   []unbuilt         // of the functions
	reason    string            // why there is nothing to be called, or ""
}

// An unbuilt function is one of a nested stack whose program may not be there
// yet: what it is, was known once its stack was made.
type unbuilt struct {
	at         int // its place among the provider's functions
	deployment *Deployment
	function   template.Function
}

// resolveServiceToken returns the provider of a ServiceToken.
func (r *Record) resolveServiceToken(token string) *provider {
	p := &provider{arn: token, names: map[string]string{}, forbidden: map[string]bool{}}
	s := &search{record: r, found: p}
	for _, stack := range r.Stack.All() {
		d := r.current(stack)
		if d == nil {
			continue
		}
		plan, err := d.Plan(stack)
		switch {
		case err != nil && stack == r.Stack: // it was read when it was deployed
			p.reason = err.Error()
			return p
		case err != nil: // such as one that imported what is gone
			continue
		}
		s.places = append(s.places, &deployedStack{stack, d, plan})
	}
	if len(s.places) == 0 {
		p.reason = "The stack has no template any more"
		return p
	}
	if topic := s.resource(func(res *engine.StackResource) bool { return res.Type == "AWS::SNS::Topic" && res.PhysicalID == token }); topic != nil {
		s.topic(topic)
		return p
	}
	f := s.find(token)
	if f == nil {
		s.addExternal(token)
		return p
	}
	p.arn = s.invokedARN(f.StackResource, token)
	s.add(f, p.arn, true)
	return p
}

// A search is in one state of a stack and of those that are nested in it: a
// template hands the ARN of a function on to another one.
type search struct {
	record *Record
	places []*deployedStack
	found  *provider
}

// A deployedStack is a stack with its deployment.
type deployedStack struct {
	stack      *engine.Stack
	deployment *Deployment
	plan       *template.Plan
}

// A deployedResource is a resource and the stack that it belongs to.
type deployedResource struct {
	*engine.StackResource
	in *deployedStack
}

// resource returns the first resource that is as asked for, or nil.
func (s *search) resource(is func(*engine.StackResource) bool) *deployedResource {
	for _, in := range s.places {
		if res := in.resource(is); res != nil {
			return res
		}
	}
	return nil
}

func (in *deployedStack) resource(is func(*engine.StackResource) bool) *deployedResource {
	for _, list := range [][]*engine.StackResource{in.stack.Resources, in.stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool { return !res.Gone && res.PhysicalID != "" && is(res) }); i >= 0 {
			return &deployedResource{list[i], in}
		}
	}
	return nil
}

// find returns the function of an ARN or a name, also through an alias or a
// version, or nil.
func (s *search) find(token string) *deployedResource {
	f := s.resource(func(res *engine.StackResource) bool {
		if res.Type != "AWS::Lambda::Function" {
			return false
		}
		arn := s.arn(res)
		return token == arn || token == res.PhysicalID || strings.HasPrefix(token, arn+":")
	})
	if f != nil {
		return f
	}
	stands := s.resource(func(res *engine.StackResource) bool {
		return (res.Type == "AWS::Lambda::Alias" || res.Type == "AWS::Lambda::Version") && res.PhysicalID == token
	})
	if stands == nil {
		return nil
	}
	if name := text(stands.StackResource, "FunctionName"); name != token {
		return s.find(name)
	}
	return nil
}

// addExternal adds a function that is none of this stack's, or a topic with one
// that listens to it, by the command that is given for its ARN.
func (s *search) addExternal(token string) {
	d, p := s.places[0].deployment, s.found
	parts := strings.Split(token, ":")
	arn := token
	if len(parts) == 8 { // a version or an alias
		arn = strings.Join(parts[:7], ":")
	}
	command := cmp.Or(d.Commands[token], d.Commands[arn])
	if command == "" {
		p.reason = "The ServiceToken " + token + " names no function of this stack: refer to one, as in !GetAtt Function.Arn, or give the command that runs it with --function " + token + "=COMMAND"
		return
	}
	if len(parts) == 6 && parts[2] == "sns" {
		arn = strings.Join(append([]string{"arn", parts[1], "lambda"}, parts[3], parts[4], "function", parts[5]), ":")
		p.topics = append(p.topics, host.Topic{ARN: token, Subscribers: []string{arn}})
	}
	p.names[nameOf(arn)] = token
	if len(parts) == 8 {
		arn = token
	}
	p.functions = append(p.functions, host.Function{ARN: arn, Command: shell(command), Dir: d.Dir, Env: maps.Clone(d.Env),
		Timeout: mostTimeout, MaximumRetryAttempts: 2}) // its template is not here
}

// mostTimeout is the longest timeout of a function [D].
const mostTimeout = 15 * time.Minute

// nameOf is the function's name in an ARN, with a qualifier or without.
func nameOf(arn string) string {
	parts := strings.Split(arn, ":")
	return parts[min(len(parts)-1, 6)]
}

// invokedARN returns the ARN by which a token invokes a function: the function's
// ARN with the version or the alias that the token names.
func (s *search) invokedARN(f *engine.StackResource, token string) string {
	arn := s.arn(f)
	if strings.HasPrefix(token, arn+":") {
		return token
	}
	stands := s.resource(func(res *engine.StackResource) bool { return res.PhysicalID == token })
	switch {
	case stands == nil:
		return arn
	case stands.Type == "AWS::Lambda::Alias":
		return arn + ":" + text(stands.StackResource, "Name")
	case stands.Type == "AWS::Lambda::Version":
		return arn + ":" + token[strings.LastIndexByte(token, ':')+1:]
	}
	return arn
}

func (s *search) arn(res *engine.StackResource) string {
	o := &s.record.Stack.Options
	return "arn:" + o.Partition + ":lambda:" + o.Region + ":" + o.Account + ":function:" + res.PhysicalID
}

// topic adds a topic with its subscribers.
func (s *search) topic(topic *deployedResource) {
	t := host.Topic{ARN: topic.PhysicalID}
	for _, subscription := range topic.in.plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		f := topic.in.resource(func(res *engine.StackResource) bool { return res.LogicalID == subscription.FunctionID })
		if f != nil {
			s.add(f, s.arn(f.StackResource), true)
			t.Subscribers = append(t.Subscribers, s.arn(f.StackResource))
		}
	}
	s.found.topics = append(s.found.topics, t)
}

// add adds a function by the ARN that it is invoked by, and what its failures go
// to.
func (s *search) add(of *deployedResource, arn string, destinations bool) {
	d, res, name := of.in.deployment, of.StackResource, of.in.stack.PathOf(of.LogicalID)
	f := host.Function{ARN: arn, Recursive: text(res, "RecursiveLoop") == "Allow", Env: map[string]string{}, Handler: text(res, "Handler"), Dir: d.Dir, MaximumRetryAttempts: 2}
	environment, _ := res.Properties.Map()["Environment"].(map[string]any)
	variables, _ := environment["Variables"].(map[string]any)
	for name, value := range variables {
		f.Env[name], _ = value.(string)
	}
	maps.Copy(f.Env, d.Env)
	f.Timeout = time.Duration(number(res, "Timeout", 3)) * time.Second // [D] Lambda's own
	f.MemorySize = number(res, "MemorySize", 128)
	var declared template.Function
	for _, one := range of.in.plan.Functions {
		if one.LogicalID == res.LogicalID {
			declared = one
			f.Dir = cmp.Or(d.codeOf(&one), d.Dir)
			s.found.forbidden[res.PhysicalID] = one.SelfInvocationDenied
		}
	}
	program := s.record.programs[d.Revision][name]
	switch command := d.Commands[res.LogicalID]; {
	case command != "":
		f.Command, f.Dir = shell(command), d.Dir
	case program != "":
		f.Command = []string{program}
	case of.in.stack.Parent != "" && declared.CodeURI != "":
		s.found.unbuilt = append(s.found.unbuilt, unbuilt{len(s.found.functions), d, declared})
	default:
		s.found.reason = noProgram(name)
	}
	s.found.names[res.PhysicalID] = name
	var failures *deployedResource // what they go to
	if config := of.in.resource(func(of *engine.StackResource) bool {
		name := text(of, "FunctionName")
		return of.Type == "AWS::Lambda::EventInvokeConfig" && (name == res.PhysicalID || name == s.arn(res)) && text(of, "Qualifier") == s.qualifier(res, arn)
	}); config != nil {
		f.MaximumRetryAttempts = number(config.StackResource, "MaximumRetryAttempts", 2)
		f.MaximumEventAge = time.Duration(number(config.StackResource, "MaximumEventAgeInSeconds", 21600)) * time.Second
		all, _ := config.Properties.Map()["DestinationConfig"].(map[string]any)
		onFailure, _ := all["OnFailure"].(map[string]any)
		arn, _ := onFailure["Destination"].(string)
		if failures = s.find(arn); failures != nil && destinations {
			f.OnFailure = s.invokedARN(failures.StackResource, arn)
		}
	}
	s.found.functions = append(s.found.functions, f)
	if failures != nil && destinations {
		s.add(failures, f.OnFailure, false)
	}
}

func noProgram(name string) string {
	return "The function " + name + " has no program on this machine: its code is no Go program here; give its command with --function " + name + "=COMMAND"
}

// qualifier is the version or the alias by which a function is invoked: $LATEST
// if by none. What is configured for one is for no other [D].
func (s *search) qualifier(f *engine.StackResource, arn string) string {
	if q, ok := strings.CutPrefix(arn, s.arn(f)+":"); ok {
		return q
	}
	return "$LATEST"
}

// text is a property as it is on the wire, where all scalars are strings.
func text(res *engine.StackResource, name string) string {
	s, _ := res.Properties.Map()[name].(string)
	return s
}

func number(res *engine.StackResource, name string, otherwise int) int {
	n, err := strconv.Atoi(text(res, name))
	if err != nil {
		return otherwise
	}
	return n
}
