// Package parameter reads the Parameters section of a template, and settles the values for one stack.
//
//	declaration.go  the section
//	values.go       values, held against what their parameters ask for
//	store.go        the stand-in for Parameter Store, and references to it within values
package parameter
