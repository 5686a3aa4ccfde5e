// Package properties reads a custom resource's ResourceProperties into Go
// values, and turns Data into what Fn::GetAtt reads.
//
// CloudFormation sends every boolean and number of a template as a string, inside lists and objects
// too. [Schema.Decode] undoes this by the type that the value is wanted as: "14" is a number for an
// int and text for a string. Native JSON types work as well. Tags and field names follow
// encoding/json; what a property means to CloudFormation stands in a second tag:
//
//	Topic string `cfn:"createOnly"`      // part of the resource's identity
//	Token string `cfn:"required,secret"` // refused if absent; never printed
//	Days  int    `cfn:"default=14"`      // default= takes the rest of the tag
//
// No error of this package holds the value of a property, nor the text of an error that a type's
// own UnmarshalText or UnmarshalJSON returned, since these commonly quote it.
package properties
