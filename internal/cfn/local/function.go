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
	reason    string            // why there is nothing to be called, or ""
}

// behind looks a ServiceToken up.
func (r *Record) behind(token string) *provider {
	p := &provider{arn: token, names: map[string]string{}, forbidden: map[string]bool{}}
	d := r.Current()
	if d == nil {
		p.reason = "The stack has no template any more"
		return p
	}
	plan, err := d.Plan(r.Stack)
	if err != nil { // it was read when it was deployed
		p.reason = err.Error()
		return p
	}
	s := &search{r, d, plan, p}
	if topic := s.resource(func(res *engine.StackResource) bool { return res.Type == "AWS::SNS::Topic" && res.PhysicalID == token }); topic != nil {
		s.topic(topic)
		return p
	}
	f := s.find(token)
	if f == nil {
		s.elsewhere(token)
		return p
	}
	p.arn = s.invoked(f, token)
	s.add(f, p.arn, true)
	return p
}

// A search is in one state of a stack.
type search struct {
	record     *Record
	deployment *Deployment
	plan       *template.Plan
	found      *provider
}

// resource returns the first resource that is as asked for, or nil.
func (s *search) resource(is func(*engine.StackResource) bool) *engine.StackResource {
	for _, list := range [][]*engine.StackResource{s.record.Stack.Resources, s.record.Stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool { return !res.Gone && res.PhysicalID != "" && is(res) }); i >= 0 {
			return list[i]
		}
	}
	return nil
}

// find returns the function of an ARN or a name, also through an alias or a
// version, or nil.
func (s *search) find(token string) *engine.StackResource {
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
	if name := text(stands, "FunctionName"); name != token {
		return s.find(name)
	}
	return nil
}

// elsewhere adds a function that is none of this stack's, or a topic with one
// that listens to it, by the command that is given for its ARN.
func (s *search) elsewhere(token string) {
	d, p := s.deployment, s.found
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

// mostTimeout is how long a function may work at most [D].
const mostTimeout = 15 * time.Minute

// nameOf is the function's name in an ARN, with a qualifier or without.
func nameOf(arn string) string {
	parts := strings.Split(arn, ":")
	return parts[min(len(parts)-1, 6)]
}

// invoked is what a function is invoked by if it is by a token: its ARN, with the
// version or the alias that the token names.
func (s *search) invoked(f *engine.StackResource, token string) string {
	arn := s.arn(f)
	if strings.HasPrefix(token, arn+":") {
		return token
	}
	stands := s.resource(func(res *engine.StackResource) bool { return res.PhysicalID == token })
	switch {
	case stands == nil:
		return arn
	case stands.Type == "AWS::Lambda::Alias":
		return arn + ":" + text(stands, "Name")
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
func (s *search) topic(topic *engine.StackResource) {
	t := host.Topic{ARN: topic.PhysicalID}
	for _, subscription := range s.plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		f := s.resource(func(res *engine.StackResource) bool { return res.LogicalID == subscription.FunctionID })
		if f != nil {
			s.add(f, s.arn(f), true)
			t.Subscribers = append(t.Subscribers, s.arn(f))
		}
	}
	s.found.topics = append(s.found.topics, t)
}

// add adds a function by the ARN that it is invoked by, and what its failures go
// to.
func (s *search) add(res *engine.StackResource, arn string, destinations bool) {
	d := s.deployment
	f := host.Function{ARN: arn, Recursive: text(res, "RecursiveLoop") == "Allow", Env: map[string]string{}, Handler: text(res, "Handler"), Dir: d.Dir, MaximumRetryAttempts: 2}
	environment, _ := res.Properties.Map()["Environment"].(map[string]any)
	variables, _ := environment["Variables"].(map[string]any)
	for name, value := range variables {
		f.Env[name], _ = value.(string)
	}
	maps.Copy(f.Env, d.Env)
	f.Timeout = time.Duration(number(res, "Timeout", 3)) * time.Second // [D] Lambda's own
	f.MemorySize = number(res, "MemorySize", 128)
	for _, of := range s.plan.Functions {
		if of.LogicalID == res.LogicalID {
			f.Dir = cmp.Or(d.codeOf(&of), d.Dir)
			s.found.forbidden[res.PhysicalID] = of.SelfInvocation == template.NotPermitted
		}
	}
	program := s.record.programs[d.Revision][res.LogicalID]
	switch command := d.Commands[res.LogicalID]; {
	case command != "":
		f.Command, f.Dir = shell(command), d.Dir
	case program != "":
		f.Command = []string{program}
	default:
		s.found.reason = "The function " + res.LogicalID + " has no program on this machine: its code is no Go program here; give its command with --function " + res.LogicalID + "=COMMAND"
	}
	s.found.names[res.PhysicalID] = res.LogicalID
	if config := s.resource(func(of *engine.StackResource) bool {
		name := text(of, "FunctionName")
		return of.Type == "AWS::Lambda::EventInvokeConfig" && (name == res.PhysicalID || name == s.arn(res)) && text(of, "Qualifier") == s.qualifier(res, arn)
	}); config != nil {
		f.MaximumRetryAttempts = number(config, "MaximumRetryAttempts", 2)
		f.MaximumEventAge = time.Duration(number(config, "MaximumEventAgeInSeconds", 21600)) * time.Second
		all, _ := config.Properties.Map()["DestinationConfig"].(map[string]any)
		onFailure, _ := all["OnFailure"].(map[string]any)
		arn, _ := onFailure["Destination"].(string)
		if to := s.find(arn); to != nil && destinations {
			f.OnFailure = s.invoked(to, arn)
			s.add(to, f.OnFailure, false)
		}
	}
	s.found.functions = append(s.found.functions, f)
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
