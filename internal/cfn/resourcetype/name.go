package resourcetype

import "strings"

// IsName reports whether a type of CloudFormation's registry can have the name, which is
// Organization::Service::Resource (CloudFormation CLI, "Resource type definition schema": typeName).
func IsName(name string) bool {
	words := strings.Split(name, "::")
	for _, w := range words {
		if len(w) < 2 || len(w) > 64 || !consistsOf(w, "") {
			return false
		}
	}
	return len(words) == 3
}

// IsCustom reports whether a template can call the type of a custom resource so: Custom::Name
// (CloudFormation user guide, "AWS::CloudFormation::CustomResource").
func IsCustom(name string) bool {
	name, custom := strings.CutPrefix(name, "Custom::")
	return custom && len(name) >= 1 && len(name) <= 60 && consistsOf(name, "_@-")
}

// consistsOf reports whether a text has letters and digits of ASCII and the other characters alone.
func consistsOf(text, others string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r) {
			return false
		}
	}
	return true
}
