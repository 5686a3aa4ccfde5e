package provider

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// Of returns the provider of a ServiceToken: the ARN or name of a function, of a
// version or an alias of one, or of a topic.
func Of(r *record.Record, token string) *Provider {
	p := &Provider{ARN: token, Names: map[string]string{}, Forbidden: map[string]bool{}}
	s := &search{record: r, found: p}
	for _, stack := range r.Stack.All() {
		d := r.CurrentOf(stack)
		if d == nil {
			continue
		}
		plan, err := d.Plan(stack)
		switch {
		case err != nil && stack == r.Stack: // it was read when it was deployed
			p.Reason = err.Error()
			return p
		case err != nil: // such as one that imported what is gone
			continue
		}
		s.places = append(s.places, &deployedStack{stack, d, plan})
	}
	if len(s.places) == 0 {
		p.Reason = "The stack has no template any more"
		return p
	}
	if topic := s.resource("AWS::SNS::Topic", func(res *engine.StackResource) bool { return res.PhysicalID == token }); topic != nil {
		s.addTopic(topic)
		return p
	}
	f := s.find(token)
	if f == nil {
		s.addExternal(token)
		return p
	}
	p.ARN = s.invokedARN(f.StackResource, token)
	s.add(f, p.ARN)
	return p
}

// A search is in one state of a stack and of those that are nested in it: a
// template hands the ARN of a function on to another one.
type search struct {
	record *record.Record
	places []*deployedStack
	found  *Provider
}

// A deployedStack is a stack with its deployment.
type deployedStack struct {
	stack      *engine.Stack
	deployment *record.Deployment
	plan       *template.Plan
}

// A deployedResource is a resource and the stack that it belongs to.
type deployedResource struct {
	*engine.StackResource
	in *deployedStack
}

// resource returns the first resource of a type that is as asked for, or nil. The
// type is compared first: to look at the properties is to parse them.
func (s *search) resource(ofType string, is func(*engine.StackResource) bool) *deployedResource {
	for _, in := range s.places {
		if res := in.resource(ofType, is); res != nil {
			return res
		}
	}
	return nil
}

func (d *deployedStack) resource(ofType string, is func(*engine.StackResource) bool) *deployedResource {
	for _, list := range [][]*engine.StackResource{d.stack.Resources, d.stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool {
			return res.Type == ofType && !res.Gone && res.PhysicalID != "" && is(res)
		}); i >= 0 {
			return &deployedResource{list[i], d}
		}
	}
	return nil
}

const functionType = "AWS::Lambda::Function"

// find returns the function of an ARN or a name, also through an alias or a
// version, or nil.
func (s *search) find(token string) *deployedResource {
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
	if name := text(qualified.Properties.Map(), "FunctionName"); name != token {
		return s.find(name)
	}
	return nil
}

func (s *search) qualified(id string) *deployedResource {
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
		return arn + ":" + text(qualified.Properties.Map(), "Name")
	default:
		return arn + ":" + token[strings.LastIndexByte(token, ':')+1:]
	}
}

// arn is the ARN of a function without a qualifier.
func (s *search) arn(res *engine.StackResource) string {
	o := &s.record.Stack.Options
	return "arn:" + o.Partition + ":lambda:" + o.Region + ":" + o.Account + ":function:" + res.PhysicalID
}

func (s *search) addTopic(topic *deployedResource) {
	t := host.Topic{ARN: topic.PhysicalID}
	for _, subscription := range topic.in.plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		f := topic.in.resource(functionType, func(res *engine.StackResource) bool { return res.LogicalID == subscription.FunctionID })
		if f != nil {
			s.add(f, s.arn(f.StackResource))
			t.Subscribers = append(t.Subscribers, s.arn(f.StackResource))
		}
	}
	s.found.Topics = append(s.found.Topics, t)
}

// add adds a function by the ARN that it is invoked by, and the one that its
// failures go to. Where the failures of the latter go is not followed.
func (s *search) add(of *deployedResource, arn string) {
	config := s.eventInvokeConfig(of, arn)
	f := s.function(of, arn, config)
	failures := s.find(config.onFailure())
	if failures == nil {
		s.addFunction(of, f)
		return
	}
	f.OnFailure = s.invokedARN(failures.StackResource, config.onFailure())
	s.addFunction(of, f)
	s.addFunction(failures, s.function(failures, f.OnFailure, s.eventInvokeConfig(failures, f.OnFailure)))
}
