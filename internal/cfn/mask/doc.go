// Package mask hides secrets and the signatures of URLs in what is shown of a stack.
//
//	signature.go what makes a URL a capability
//	secrets.go   lists of secrets, and those of an answer with NoEcho
//	text.go      secrets in a text or in JSON, as they are and as they are escaped
//	stack.go     secrets in a stack and its rows
package mask
