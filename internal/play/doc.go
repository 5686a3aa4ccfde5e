// Package play is what is behind cfntest's faces. A [Player] plays a stack in
// internal/cfn/engine against a function: it is CloudFormation, Lambda and the
// response bucket, with faults. On it stand the checks of [TestHandler], which
// are a table in check.go, and [Explore], which plays all histories up to a
// depth and judges each.
//
// Types that are said to be cfntest's are described there.
package play
