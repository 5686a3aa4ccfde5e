package mask

import (
	"regexp"
	"strings"
)

// signature is what makes a URL a capability, in both versions of signing, also where
// the URL is a parameter of another one, or stands in JSON.
var signature = regexp.MustCompile(`(?i)((?:Signature|X-Amz-Credential|AWSAccessKeyId)(?:=|%(?:25)*3D|\\+u003d))[^&\s"'\\]+?(%(?:25)*26|[&\s"'\\]|$)`)

// Signatures hides the signatures of URLs in a text, such as those that a handler
// logged.
func Signatures(text string) string {
	if !hasSignature(text) { // nearly always, and it makes no copy
		return text
	}
	return signature.ReplaceAllString(text, "${1}hidden${2}")
}

// hasSignature looks for an equals sign in its forms first: few texts have one.
func hasSignature(text string) bool {
	return strings.ContainsAny(text, `=%\`) && signature.MatchString(text)
}
