// Package play is the implementation of package cfntest. A [Simulator] runs a stack
// in internal/cfn/engine against a function: it is CloudFormation, Lambda and the
// response bucket, with faults. [TestHandler] runs the checks in check.go, and
// [Explore] runs all histories up to a depth, and judges each.
//
// A new check is a row in check.go, a function in the check_*.go file of its topic,
// a wrong handler in a wrong_*_test.go file that fails this check and no other, and a
// line in the comment of cfntest.TestHandler. The tests say what is missing.
//
// Package cfntest documents the types that are said to be cfntest's.
package play
