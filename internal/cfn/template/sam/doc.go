// Package sam rewrites what AWS's Serverless Application Model adds to templates: resources of its types become the
// resources of CloudFormation that the transform makes of them, nodes for nodes. What is played has its properties;
// anything else is a stand-in under the name that SAM gives it.
//
//	rewrite.go   the Resources section
//	function.go  AWS::Serverless::Function
//	globals.go   what functions inherit from Globals
//	events.go    what a function's Events become
//	types.go     the other types
package sam
