package mask

import "regexp"

// signature is what makes a URL a capability, in both versions of signing, also where
// the URL is a parameter of another one, or stands in JSON.
var signature = regexp.MustCompile(`(?i)((?:Signature|X-Amz-Credential|AWSAccessKeyId)(?:=|%(?:25)*3D|\\+u003d))[^&\s"'\\]+?(%(?:25)*26|[&\s"'\\]|$)`)

// Signatures hides the signatures of URLs in a text, such as those that a handler
// logged.
func Signatures(text string) string {
	if !signature.MatchString(text) { // nearly always, and it makes no copy
		return text
	}
	return signature.ReplaceAllString(text, "${1}hidden${2}")
}
