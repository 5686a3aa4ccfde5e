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

// behind looks a ServiceToken up.
func (r *Record) behind(token string) *provider {
	p := &provider{arn: token, names: map[string]string{}}
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
		s.places = append(s.places, &place{stack, d, plan})
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
		s.elsewhere(token)
		return p
	}
	p.arn = s.arn(f.StackResource)
	s.add(f, true)
	return p
}

// A search is in one state of a stack and of those that are nested in it: a
// template hands the ARN of a function on to another one.
type search struct {
	record *Record
	places []*place
	found  *provider
}

// A place is a stack with what it was deployed from.
type place struct {
	stack      *engine.Stack
	deployment *Deployment
	plan       *template.Plan
}

// A placed resource is one of a place.
type placed struct {
	*engine.StackResource
	in *place
}

// resource returns the first resource that is as asked for, or nil.
func (s *search) resource(is func(*engine.StackResource) bool) *placed {
	for _, in := range s.places {
		if res := in.resource(is); res != nil {
			return res
		}
	}
	return nil
}

func (in *place) resource(is func(*engine.StackResource) bool) *placed {
	for _, list := range [][]*engine.StackResource{in.stack.Resources, in.stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool { return !res.Gone && res.PhysicalID != "" && is(res) }); i >= 0 {
			return &placed{list[i], in}
		}
	}
	return nil
}

// find returns the function of an ARN or a name, also through an alias or a
// version, or nil.
func (s *search) find(token string) *placed {
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

// elsewhere adds a function that is none of this stack's, or a topic with one
// that listens to it, by the command that is given for its ARN.
func (s *search) elsewhere(token string) {
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
	p.functions = append(p.functions, host.Function{ARN: arn, Command: shell(command), Dir: d.Dir, Env: maps.Clone(d.Env),
		Timeout: mostTimeout, MaximumRetryAttempts: 2}) // its template is not here
	p.names[arn[strings.LastIndexByte(arn, ':')+1:]] = token
}

// mostTimeout is how long a function may work at most [D].
const mostTimeout = 15 * time.Minute

func (s *search) arn(res *engine.StackResource) string {
	o := &s.record.Stack.Options
	return "arn:" + o.Partition + ":lambda:" + o.Region + ":" + o.Account + ":function:" + res.PhysicalID
}

// topic adds a topic with its subscribers.
func (s *search) topic(topic *placed) {
	t := host.Topic{ARN: topic.PhysicalID}
	for _, subscription := range topic.in.plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		f := topic.in.resource(func(res *engine.StackResource) bool { return res.LogicalID == subscription.FunctionID })
		if f != nil {
			s.add(f, true)
			t.Subscribers = append(t.Subscribers, s.arn(f.StackResource))
		}
	}
	s.found.topics = append(s.found.topics, t)
}

// add adds a function, and what its failures go to.
func (s *search) add(of *placed, destinations bool) {
	d, res, name := of.in.deployment, of.StackResource, of.in.stack.PathOf(of.LogicalID)
	f := host.Function{ARN: s.arn(res), Env: map[string]string{}, Handler: text(res, "Handler"), Dir: d.Dir, MaximumRetryAttempts: 2}
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
	var failures *placed // what they go to
	if config := of.in.resource(func(of *engine.StackResource) bool {
		if of.Type != "AWS::Lambda::EventInvokeConfig" {
			return false
		}
		name := text(of, "FunctionName")
		return name == res.PhysicalID || name == f.ARN
	}); config != nil {
		f.MaximumRetryAttempts = number(config.StackResource, "MaximumRetryAttempts", 2)
		f.MaximumEventAge = time.Duration(number(config.StackResource, "MaximumEventAgeInSeconds", 21600)) * time.Second
		all, _ := config.Properties.Map()["DestinationConfig"].(map[string]any)
		onFailure, _ := all["OnFailure"].(map[string]any)
		arn, _ := onFailure["Destination"].(string)
		if failures = s.find(arn); failures != nil && destinations {
			f.OnFailure = s.arn(failures.StackResource)
		}
	}
	s.found.functions = append(s.found.functions, f)
	if failures != nil && destinations {
		s.add(failures, false)
	}
}

func noProgram(name string) string {
	return "The function " + name + " has no program on this machine: its code is no Go program here; give its command with --function " + name + "=COMMAND"
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
