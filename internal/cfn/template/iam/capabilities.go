package iam

import "slices"

// Resources that need a capability, and the properties that name them (CreateStack, Capabilities).
var (
	types = []string{
		"AWS::IAM::AccessKey", "AWS::IAM::Group", "AWS::IAM::InstanceProfile", "AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::Role",
		"AWS::IAM::User", "AWS::IAM::UserToGroupAddition",
	}
	names = []string{"GroupName", "InstanceProfileName", "ManagedPolicyName", "RoleName", "UserName"}
)

// The capabilities: for resources of IAM, for those with names of their own, and for transforms.
const (
	Resources  = "CAPABILITY_IAM"
	Named      = "CAPABILITY_NAMED_IAM"
	AutoExpand = "CAPABILITY_AUTO_EXPAND"
)

// Missing returns the capabilities that are needed beyond those that were given, each
// once. Who acknowledges names acknowledges the rest of IAM.
func Missing(needed, given []string) (all []string) {
	for _, c := range needed {
		more := c == Resources && (slices.Contains(given, Named) || slices.Contains(needed, Named))
		if !more && !slices.Contains(given, c) && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Capability is what a client has to acknowledge before a resource of a type is made, or
// "". properties are the names of those that it has.
func Capability(typ string, properties []string) string {
	switch {
	case !slices.Contains(types, typ):
		return ""
	case slices.ContainsFunc(names, func(name string) bool { return slices.Contains(properties, name) }):
		return Named
	}
	return Resources
}
