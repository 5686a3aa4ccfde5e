// Package schema describes the properties and attributes of a handler's
// resource type as a schema in the form of CloudFormation's registry. A
// complete function that can be asked for it:
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
// CloudFormation sends both as strings, which the SDK reads all the same. In a template, tools that
// read schemas accept true and "true", 14 and "14", as CloudFormation does.
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
// The tags cfn:"required", createOnly, secret and default=VALUE become
// required, createOnlyProperties, writeOnlyProperties and default; the default
// of a secret is omitted. The tag doc describes a field, and on a field named _
// the struct. The fields of D become readOnlyProperties. A type describes the
// rest itself, such as its allowed values: see [Describer].
//
// # What it does not say
//
// The schema is no stricter than the types, except that it accepts only one
// spelling of a name, and no list for bytes. The types are stricter than the
// schema where JSON Schema says nothing: the range of 64 bits, of float32 and
// of durations, what an UnmarshalText or UnmarshalJSON refuses, and Validate.
//
// The registry accepts property names of up to 64 letters and digits, and no
// resource without named properties: a P that is a map has a schema with
// additionalProperties true, which is for cfnlocal alone.
package schema
