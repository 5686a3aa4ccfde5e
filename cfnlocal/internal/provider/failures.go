package provider

import (
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An eventInvokeConfig is the properties of an AWS::Lambda::EventInvokeConfig, or
// nil, which has Lambda's defaults.
type eventInvokeConfig map[string]any

// eventInvokeConfig is that of a function as it is invoked by an ARN: what is
// configured for one version or alias is for no other [D].
func (s *search) eventInvokeConfig(of *deployedResource, arn string) (config eventInvokeConfig) {
	function := s.arn(of.StackResource)
	qualifier, isQualified := strings.CutPrefix(arn, function+":")
	if !isQualified {
		qualifier = "$LATEST"
	}
	resourceIn(of.stack, "AWS::Lambda::EventInvokeConfig", func(res *engine.StackResource) bool {
		properties := res.Properties.Map()
		name := text(properties, "FunctionName")
		if name != of.PhysicalID && name != function || text(properties, "Qualifier") != qualifier {
			return false
		}
		config = properties
		return true
	})
	return config
}

// onFailure is the ARN that failed events go to, or "".
func (c eventInvokeConfig) onFailure() string {
	return text(object(c, "DestinationConfig", "OnFailure"), "Destination")
}
