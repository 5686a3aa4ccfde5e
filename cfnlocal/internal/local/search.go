package local

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

func newSearch(r *record.Record, token string) *search {
	return &search{record: r, stacks: r.Stack.All(), found: &provider{arn: token, names: map[string]string{}, forbidden: map[string]bool{}}}
}

// declared finds the stack's own function or topic behind a token, and reports whether it has one.
func (s *search) declared(token string) bool {
	if topic := s.resource("AWS::SNS::Topic", func(res *engine.StackResource) bool { return res.PhysicalID == token }); topic != nil {
		s.addTopic(topic)
		return true
	}
	f := s.find(token)
	if f == nil {
		return false
	}
	s.found.arn = s.invokedARN(f.StackResource, token)
	s.add(f, s.found.arn)
	return true
}

// A search looks through a stack and the stacks nested in it, as they are now: a template can pass
// the ARN of a function to a nested one.
type search struct {
	record *record.Record
	stacks []*engine.Stack
	others bool // the record is another stack's
	found  *provider
}

// A foundResource is a resource, and the stack that it was found in.
type foundResource struct {
	*engine.StackResource
	stack *engine.Stack
}

// resource returns the first resource of a type for which is reports true, or nil. It compares the
// type first, because reading properties means parsing them.
func (s *search) resource(ofType string, is func(*engine.StackResource) bool) *foundResource {
	for _, stack := range s.stacks {
		if res := resourceIn(stack, ofType, is); res != nil {
			return res
		}
	}
	return nil
}

func resourceIn(stack *engine.Stack, ofType string, is func(*engine.StackResource) bool) *foundResource {
	for _, list := range [][]*engine.StackResource{stack.Resources, stack.Leaving} {
		if i := slices.IndexFunc(list, func(res *engine.StackResource) bool {
			return res.Type == ofType && !res.Gone && res.PhysicalID != "" && is(res)
		}); i >= 0 {
			return &foundResource{list[i], stack}
		}
	}
	return nil
}

// madeBy returns the revision that last changed a resource, and its plan. If there is none, it
// sets the reason.
func (s *search) madeBy(of *foundResource) (*record.Revision, *template.Plan) {
	rev := s.record.RevisionFor(of.stack, of.StackResource)
	if rev == nil {
		s.found.reason = noTemplate
		return nil, nil
	}
	plan, err := rev.Plan(of.stack)
	if err != nil { // such as a nested stack whose import no longer exists
		s.found.reason = err.Error()
		return nil, nil
	}
	return rev, plan
}

const noTemplate = "The stack no longer has a template"

const functionType = "AWS::Lambda::Function"

// find returns the function of an ARN or a name, also through an alias or a version, or nil.
func (s *search) find(token string) *foundResource {
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
		return s.find(name)
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
		s.add(f, s.arn(f.StackResource))
		t.Subscribers = append(t.Subscribers, s.arn(f.StackResource))
	}
	for _, subscription := range plan.Subscriptions {
		if subscription.TopicID != topic.LogicalID {
			continue
		}
		if subscription.Endpoint != "" {
			s.found.subscribers = append(s.found.subscribers, subscription.Endpoint)
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
		switch f := s.find(endpoint); {
		case f == nil && !slices.Contains(s.found.subscribers, endpoint):
			s.found.subscribers = append(s.found.subscribers, endpoint)
		case f != nil && !slices.Contains(t.Subscribers, s.arn(f.StackResource)):
			subscribe(f)
		}
		return false
	})
	s.found.topics = append(s.found.topics, t)
}

// add adds a function by the ARN that invokes it, and the function that gets its failed events. It
// does not follow the on-failure destination of the latter.
func (s *search) add(of *foundResource, arn string) {
	config := s.eventInvokeConfig(of, arn)
	f := declaredFunction(of, arn, config)
	failures := s.find(config.onFailure())
	if failures == nil {
		s.addFunction(of, f)
		return
	}
	f.OnFailure = s.invokedARN(failures.StackResource, config.onFailure())
	s.addFunction(of, f)
	s.addFunction(failures, declaredFunction(failures, f.OnFailure, s.eventInvokeConfig(failures, f.OnFailure)))
}

// An eventInvokeConfig is the properties of an AWS::Lambda::EventInvokeConfig, or
// nil, which has Lambda's defaults.
type eventInvokeConfig map[string]any

// eventInvokeConfig returns the configuration of a function for the ARN that invokes it: a version's
// or an alias's applies to no other [D].
func (s *search) eventInvokeConfig(of *foundResource, arn string) (config eventInvokeConfig) {
	function := s.arn(of.StackResource)
	qualifier, isQualified := strings.CutPrefix(arn, function+":")
	if !isQualified {
		qualifier = "$LATEST"
	}
	resourceIn(of.stack, "AWS::Lambda::EventInvokeConfig", func(res *engine.StackResource) bool {
		properties := res.Properties.Map()
		name := textProperty(properties, "FunctionName")
		if name != of.PhysicalID && name != function || textProperty(properties, "Qualifier") != qualifier {
			return false
		}
		config = properties
		return true
	})
	return config
}

// onFailure is the ARN that failed events go to, or "".
func (c eventInvokeConfig) onFailure() string {
	return textProperty(objectProperty(c, "DestinationConfig", "OnFailure"), "Destination")
}
