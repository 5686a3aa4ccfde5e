// Package template reads CloudFormation and SAM templates and yields what the engine plays.
//
// A template is read in three steps:
//
//   - [Parse] reads YAML or JSON into a tree that knows the place of every value, applies the SAM transform, and checks
//     all that can be known without parameter values: sections, names, references, arguments of functions. Of a
//     template with AWS::LanguageExtensions it reads the parameters only: loops can go over their values.
//   - [Template.Resolve] takes the parameter values and the pseudo parameters of one stack, decides the conditions
//     and yields a [Plan]: resources with their dependencies, outputs, Lambda functions, warnings.
//   - The engine asks each resource of the plan for its properties when its turn comes, and answers the references
//     that can only be known then.
//
// Nodes become nodes in packages of their own, which know nothing of this one:
//
//	source      files, nodes, positions, errors
//	sam         what the SAM transform makes of its types
//	foreach     loops, written out
//	parameter   Parameters, and Parameter Store
//	mapping     Mappings
//
// Nodes become expressions here:
//
//	parse.go, transform.go                            the sections, one after the other
//	conditions.go, resources.go, rules.go, outputs.go the sections that hold functions
//	custom.go                                         what CloudFormation reads of a custom resource
//	compile.go, expr.go                               any value
//	intrinsics.go                                     the table of functions: each has a file, such as join.go
//
// Expressions become a plan:
//
//	resolve.go, evaluate.go, budget.go                values, as far as they are settled, within bounds
//	lambda.go, eventinvoke.go, subscriptions.go       functions, and what invokes them
//	nested.go, importvalue.go, dynamic.go             what comes from elsewhere
//	known.go, secret.go                               what others ask of a plan (packages known and secret)
//	advice.go, qualifier.go, selfinvocation.go        warnings (packages dependency and iam)
//
// The package reads what CloudFormation reads and refuses what CloudFormation refuses. What this package does not play
// (macros, nested stacks whose templates are no files here) is an [Error] that says so and, where there is a way, names
// it. Every error carries file, line and column. No error holds the value of a property; the value of a parameter only
// where it is the name of an export or of a parameter in Parameter Store, and never of one with NoEcho.
package template
