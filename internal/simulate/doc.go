// Package simulate runs a function as CloudFormation with one stack, Lambda and the
// response bucket would, and makes things go wrong on the way. A [Stack] says what
// happened, and whether the handler did what no handler may do; package play judges
// whether it is right. The stack itself is one of internal/cfn/engine.
//
// To read, in this order:
//
//   - stack.go: the operations; request.go: what came of them
//   - event.go: what is sent
//   - fault.go: what can go wrong, a row each
//   - delivery.go: a request, with Lambda's retries
//   - invocation.go: one process and its answer
//   - call.go: one call of a handler's method, and the steps in it
//   - chain.go: a function that goes on in another invocation
//   - clock.go: time, virtual and real
//   - story.go: what happened, in words and as a page, and what no handler may do
//   - follow.go: a single event, without a stack
//
// A new fault is a constant and a row in fault.go, which says what the fault does at which moment. The code of each
// moment (in delivery.go, invocation.go, call.go, chain.go) asks for it once. The name is a constant in cfntest/fault.go too.
package simulate
