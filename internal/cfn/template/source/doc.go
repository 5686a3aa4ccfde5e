// Package source reads template files into nodes that know their places, and reports what is wrong at them. It knows how
// templates are written, and nothing of what they mean.
//
//	read.go        a body, its size and its encoding
//	yaml.go        YAML, with its short tags written out
//	yamlsyntax.go  what to say of a file that is not YAML
//	json.go        JSON
//	plain.go       what CloudFormation makes of an unquoted YAML scalar
//	node.go        the nodes
//	section.go     checks that all sections share: names, keys, literals
//	report.go      errors and warnings with their places
//	nearest.go     what a misspelled name most likely means
//	scalars.go     values as text and as lists
package source
