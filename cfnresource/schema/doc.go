// Package schema writes down what a handler's types say: which properties its
// resource type has, and which attributes, as a schema in the form of
// CloudFormation's registry. A complete function that can be asked for it:
//
//	package main
//
//	import (
//		"context"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/cfnresource/schema"
//	)
//
//	type Props struct {
//		_      struct{} `doc:"A greeting."`
//		Name   string   `cfn:"required" doc:"Who is greeted."`
//		Volume Loudness `cfn:"default=low" doc:"How loud."`
//	}
//
//	// A Loudness says which values it has.
//	type Loudness string
//
//	func (Loudness) DescribeProperty(p *schema.Property) { p.Enum = []any{"low", "high"} }
//
//	type Data struct {
//		Text string `doc:"What to say."`
//	}
//
//	func greet(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		return Data{Text: "Hello " + req.Properties.Name}, nil
//	}
//
//	func main() {
//		lambda.Start(cfnresource.New(cfnresource.Action(greet), schema.Describe))
//	}
//
// With [Describe], cfnlocal finds a misspelt property before anything is deployed, writes schemas
// for other tools, and tables for a README. A function without it links nothing of this package.
//
// # What a schema says
//
// A property has the type that its field has: a bool is a boolean, an int an integer.
// CloudFormation sends both as strings, and the SDK reads them all the same; a template says true
// and 14, and tools that read schemas take "true" and "14" for these as CloudFormation does.
//
//	Go                          schema
//	bool                        boolean
//	int, uint, ...              integer, with the range of the type where it has fewer than 64 bits
//	float64, json.Number        number
//	string, and its kinds       string
//	time.Duration               string, with the pattern of 1h30m
//	time.Time                   string, date-time
//	UnmarshalText               string
//	UnmarshalJSON, any          anything
//	[]byte                      string, with the pattern of base64
//	[]T, [n]T                   array; an array of Go has at most n elements
//	map                         object, with a pattern of its names
//	struct                      object, by a definition
//
// The tags cfn:"required", createOnly, secret and default=VALUE become required,
// createOnlyProperties, writeOnlyProperties and default; the default of a secret
// is not told. The tag doc describes a field, and on a field named _ the struct.
// The fields of D become readOnlyProperties. What else is to be said of a type,
// such as the values that it has, it says itself: see [Describer].
//
// # What it does not say
//
// The schema is no stricter than the types, except that it takes a name in one
// spelling alone, and bytes not as a list. The types are stricter than the
// schema in what JSON Schema does not say: the range of 64 bits, of float32 and
// of durations, what an UnmarshalText or UnmarshalJSON refuses, and Validate.
//
// The registry takes names of properties of up to 64 letters and digits, and no
// resource without named properties: a P that is a map has a schema with
// additionalProperties true, which is for cfnlocal alone.
package schema
