package template

import "slices"

// capabilityTypes are the types that need a capability (CreateStack, Capabilities), and the property that
// gives a resource a name of its own, "" if none does: an access key has the name of its user.
var capabilityTypes = map[string]string{
	"AWS::IAM::AccessKey":           "",
	"AWS::IAM::Group":               "GroupName",
	"AWS::IAM::InstanceProfile":     "InstanceProfileName",
	"AWS::IAM::ManagedPolicy":       "ManagedPolicyName",
	"AWS::IAM::Policy":              "",
	"AWS::IAM::Role":                "RoleName",
	"AWS::IAM::User":                "UserName",
	"AWS::IAM::UserToGroupAddition": "",
}

// The capabilities: for resources of IAM, for those with names of their own, and for transforms.
const (
	capabilityIAM        = "CAPABILITY_IAM"
	capabilityNamedIAM   = "CAPABILITY_NAMED_IAM"
	capabilityAutoExpand = "CAPABILITY_AUTO_EXPAND"
)

// MissingCapabilities returns the capabilities that are needed beyond those that were given, each
// once. Who acknowledges names acknowledges the rest of IAM.
func MissingCapabilities(needed, given []string) (all []string) {
	for _, c := range needed {
		more := c == capabilityIAM && (slices.Contains(given, capabilityNamedIAM) || slices.Contains(needed, capabilityNamedIAM))
		if !more && !slices.Contains(given, c) && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// capabilityOf is what a client has to acknowledge before a resource of a type is made, or
// "". properties are the names of those that it has.
func capabilityOf(typ string, properties []string) string {
	switch name, needed := capabilityTypes[typ]; {
	case !needed:
		return ""
	case slices.Contains(properties, name):
		return capabilityNamedIAM
	}
	return capabilityIAM
}
