// Package cfntest tests handlers of custom resources, without AWS and without
// a network. A whole test reads:
//
//	package main
//
//	import (
//		"context"
//		"testing"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/cfntest"
//	)
//
//	type Props struct{ Name string }
//
//	type Data struct{ Text string }
//
//	func greet(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		return Data{"Hello " + req.Properties.Name}, nil
//	}
//
//	func TestGreet(t *testing.T) {
//		d := cfnresource.New(cfnresource.Action(greet))
//		got := cfntest.Invoke(t, d, cfntest.CreateEvent(Props{Name: "Ada"}))
//		if got.Status != "SUCCESS" || got.Data["Text"] != "Hello Ada" {
//			t.Errorf("the answer is %+v", got)
//		}
//	}
//
// The event takes the same way as in a deployed function, except for the delivery of the answer. A
// test of the handler alone needs no package: make a request, and call the method.
//
//   - [CreateEvent], [UpdateEvent] and [DeleteEvent] make events about one
//     resource of one stack.
//   - [Invoke] hands an event to a Dispatcher, and returns the answer. It fails the
//     test unless CloudFormation would accept the answer; FAILED is accepted too.
//   - [Recorder] takes the place of the signed URL, and can fail.
//   - [Stack] is a stack in this process: it is created, updated, cancelled and
//     deleted as on AWS, and a Fault of package fault has something go wrong on the way.
//   - [TestHandler] checks that a handler does all that CloudFormation demands; a [Contract]
//     describes the handler. [Explore] plays every short history of a stack, with one fault
//     anywhere, and shows the shortest that does harm. [Replay] plays that again.
//   - [Legacy] runs a handler of aws-lambda-go/cfn, whose resources another handler takes over.
//   - [Continues] lets a function continue in a test as in Lambda.
//   - [Step] and [Steps] let the process die, and the service fail, between any
//     two effects.
//
// # Time
//
// A handler that waits is tested in virtual time: call Invoke inside
// [testing/synctest.Test], and use Stack there. A Recorder needs real time, and so
// does a handler that does real I/O: see [StackOptions].
package cfntest
