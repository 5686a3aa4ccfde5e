package event

import "github.com/cfnresource/sdk-go/internal/properties"

// IsDescribe reports whether a payload asks a function to describe itself: an
// object with the one member "cfnresource", which is "describe". An event of
// CloudFormation's has others, and so has every envelope.
func IsDescribe(payload []byte) bool {
	const longest = 100 // with spaces: longer payloads are not read
	members, isDescribe := 0, false
	isObject := len(payload) <= longest && properties.Members(payload, func(name []byte, value properties.Member) {
		members++
		text, isText := value.Text()
		isDescribe = string(name) == "cfnresource" && isText && text == "describe"
	})
	return isObject && members == 1 && isDescribe
}
