package provider

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Of returns the provider of a ServiceToken: the ARN or name of a function, of a
// version or an alias of one, or of a topic.
func Of(r *record.Record, token string) *Provider {
	p := &Provider{ARN: token, Names: map[string]string{}, Forbidden: map[string]bool{}}
	s := &search{record: r, stacks: r.Stack.All(), found: p}
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
	stacks []*engine.Stack
	found  *Provider
}

// A deployedResource is a resource and the stack that it belongs to.
type deployedResource struct {
	*engine.StackResource
	stack *engine.Stack
}

// resource returns the first resource of a type that is as asked for, or nil. The
// type is compared first: to look at the properties is to parse them.
func (s *search) resource(ofType string, is func(*engine.StackResource) bool) *deployedResource {
	for _, stack := range s.stacks {
		if res := resourceIn(stack, ofType, is); res != nil {
			return res
		}
	}
	return nil
}

func resourceIn(stack *engine.Stack, ofType string, is func(*engine.StackResource) bool) *deployedResource {
	for _, list := range [][]*engine.StackResource{stack.Resources, stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool {
			return res.Type == ofType && !res.Gone && res.PhysicalID != "" && is(res)
		}); i >= 0 {
			return &deployedResource{list[i], stack}
		}
	}
	return nil
}

// madeBy returns the deployment that made a resource what it is, and its plan. Without
// them there is nothing to be called.
func (s *search) madeBy(of *deployedResource) (*record.Deployment, *template.Plan) {
	d := s.record.DeploymentFor(of.stack, of.StackResource)
	if d == nil {
		s.found.Reason = noTemplate
		return nil, nil
	}
	plan, err := d.Plan(of.stack)
	if err != nil { // such as that of a nested stack that imported what is gone
		s.found.Reason = err.Error()
		return nil, nil
	}
	return d, plan
}

const noTemplate = "The stack has no template any more"

const functionType = "AWS::Lambda::Function"

// find returns the function of an ARN or a name, also through an alias or a version, or nil.
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
	_, plan := s.madeBy(topic)
	if plan == nil {
		return
	}
	for _, subscription := range plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		f := resourceIn(topic.stack, functionType, func(res *engine.StackResource) bool { return res.LogicalID == subscription.FunctionID })
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
	f := function(of, arn, config)
	failures := s.find(config.onFailure())
	if failures == nil {
		s.addFunction(of, f)
		return
	}
	f.OnFailure = s.invokedARN(failures.StackResource, config.onFailure())
	s.addFunction(of, f)
	s.addFunction(failures, function(failures, f.OnFailure, s.eventInvokeConfig(failures, f.OnFailure)))
}
