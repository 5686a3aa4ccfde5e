// Package template reads CloudFormation and SAM templates and yields what the engine plays.
//
// A template is read in three steps:
//
//   - [Parse] reads YAML or JSON into a tree that knows the place of every value, applies the SAM
//     transform, and checks all that can be known without parameter values: sections, names,
//     references, arguments of functions. Of a template with AWS::LanguageExtensions it reads the
//     parameters only: loops can go over their values.
//   - [Template.Resolve] takes the parameter values and the pseudo parameters of one stack, decides
//     the conditions and yields a [Plan]: resources with their dependencies, outputs, Lambda
//     functions, warnings.
//   - The engine asks each resource of the plan for its properties when its turn comes, and answers
//     the references that can only be known then.
//
// Package source reads files as nodes, and package sam turns SAM's nodes into CloudFormation's;
// neither knows this one. Here nodes become expressions, and expressions a plan. Each function of
// CloudFormation has a row in intrinsics.go and a file, such as join.go.
//
// The package reads what CloudFormation reads and refuses what CloudFormation refuses. What this
// package does not play (macros, nested stacks whose templates are no files here) is an [Error]
// that says so and, where there is a way, names it. Every error carries file, line and column. No
// error holds the value of a property; the value of a parameter only where it is the name of an
// export or of a parameter in Parameter Store, and never of one with NoEcho.
package template
