package template

import "slices"

// Resources that need a capability, and the properties that name them (CreateStack,
// Capabilities).
var (
	iamTypes = []string{
		"AWS::IAM::AccessKey", "AWS::IAM::Group", "AWS::IAM::InstanceProfile", "AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::Role",
		"AWS::IAM::User", "AWS::IAM::UserToGroupAddition",
	}
	iamNames = []string{"GroupName", "InstanceProfileName", "ManagedPolicyName", "RoleName", "UserName"}
)

// capabilities are what a client has to acknowledge before the resources are made.
func (t *Template) capabilities(active []*resource) (all []string) {
	iam, named := false, false
	for _, res := range active {
		if slices.Contains(iamTypes, res.Type) {
			iam = true
			named = named || slices.ContainsFunc(iamNames, func(name string) bool { return res.properties.get(name) != nil })
		}
	}
	switch {
	case named:
		all = append(all, "CAPABILITY_NAMED_IAM")
	case iam:
		all = append(all, "CAPABILITY_IAM")
	}
	if t.transformed {
		all = append(all, "CAPABILITY_AUTO_EXPAND")
	}
	return all
}
