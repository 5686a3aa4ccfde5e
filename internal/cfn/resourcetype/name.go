package resourcetype

import "regexp"

var (
	registered = regexp.MustCompile(`^[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}$`)
	custom     = regexp.MustCompile(`^Custom::[A-Za-z0-9_@-]{1,60}$`)
)

// IsName reports whether a type of CloudFormation's registry can have the name, which is
// Organization::Service::Resource (CloudFormation CLI, "Resource type definition schema": typeName).
func IsName(name string) bool { return registered.MatchString(name) }

// IsCustom reports whether a template can call the type of a custom resource so: Custom::Name
// (CloudFormation user guide, "AWS::CloudFormation::CustomResource").
func IsCustom(name string) bool { return custom.MatchString(name) }
