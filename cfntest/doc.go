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
//	type Props struct {
//		Name string `cfn:"createOnly"`
//		Days int
//	}
//
//	type Data struct{ Name string }
//
//	// Topics are the handler: it keeps in memory what a real one keeps in a service.
//	type Topics map[string]Props
//
//	func (t Topics) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (data Data, err error) {
//		id := req.StableID()
//		if _, taken := t[id]; taken {
//			return data, cfnresource.AlreadyExists(id)
//		}
//		t[id] = req.Properties
//		req.Created(id)
//		data.Name = req.Properties.Name
//		return data, nil
//	}
//
//	func (t Topics) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (data Data, err error) {
//		t[req.PhysicalID] = req.Properties
//		data.Name = req.Properties.Name
//		return data, nil
//	}
//
//	func (t Topics) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
//		delete(t, req.PhysicalID)
//		return nil
//	}
//
//	func TestTopics(t *testing.T) {
//		topics := Topics{}
//		d := cfnresource.New(topics)
//		props := Props{Name: "orders", Days: 14}
//
//		created := cfntest.Invoke(t, d, cfntest.CreateEvent(props))
//		id := created.PhysicalResourceID
//		if created.Status != "SUCCESS" || created.Data["Name"] != "orders" || topics[id] != props {
//			t.Fatalf("Create answered %v and made %v", created, topics)
//		}
//
//		deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(id, props))
//		if deleted.Status != "SUCCESS" || len(topics) > 0 {
//			t.Fatalf("Delete answered %v and left %v", deleted, topics)
//		}
//	}
//
// It goes through everything that a deployed function goes through but the
// delivery: the properties arrive as strings, as CloudFormation sends them,
// and the answer is what CloudFormation would read. A test of the handler
// alone needs no package at all, only a request made by hand and a call of the
// method.
//
// # Events
//
// [CreateEvent], [UpdateEvent] and [DeleteEvent] make the events. Each call
// makes a new request (another RequestId) about the same resource of the same
// stack, unless an option says otherwise.
//
// # Answers
//
// [Invoke] hands an event to a Dispatcher and returns the answer. It
// fails the test unless there is exactly one, of a form that CloudFormation
// accepts. A FAILED answer is such a form: whether it is the right one is for
// the test to say.
//
// [Recorder] is for what Invoke leaves out: it takes the place of the signed
// URL, over HTTP on the loopback interface, and can fail.
//
// # Stacks
//
// What CloudFormation does to a handler is seen over several events: a
// rollback, a cleanup, a Delete that overtakes its Create. [Stack] plays them
// against the function, in this process. It is created, updated, cancelled and
// deleted as on AWS, and a [Fault] has something go wrong on the way:
//
//	func TestACreationWhoseAnswerIsLostLeavesNothing(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			topics := Topics{}
//			stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Handler {
//				return cfnresource.New(topics)
//			}})
//			stack.Inject(cfntest.Fault{What: cfntest.LoseAnswer})
//			stack.Deploy(cfntest.Template{"Topic": {Properties: Props{Name: "orders"}}})
//			if len(topics) > 0 {
//				t.Errorf("%v are left behind, after\n%s", topics, stack.Story())
//			}
//		})
//	}
//
// A fake service that calls [Step] before and after each effect, or a real
// client with the transport [Steps], lets the process die, and the service
// fail, between any two effects.
//
// # The contract
//
// [TestHandler] asks a handler, check by check, what CloudFormation will ask of
// it, and [Explore] looks for what nobody thought of: it plays every short
// history of a stack, with one thing going wrong anywhere, and tells the
// shortest that does harm as a story, and as a line for [Replay]. A [Contract]
// says what they have to know:
//
//	var contract = cfntest.Contract{
//		New: func(testing.TB) cfntest.Service {
//			hub := newHub()
//			function := func() cfntest.Handler { return cfnresource.New(&Subscription{hub}) }
//			return cfntest.Service{Function: function, State: hub.state, List: hub.names}
//		},
//		Properties: Props{Topic: "orders", Days: 30},
//		InPlace:    Props{Topic: "orders", Days: 7},
//		Replacing:  Props{Topic: "returns", Days: 30},
//	}
//
//	func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }
//	func TestExplore(t *testing.T)  { cfntest.Explore(t, contract) }
//
// # Time
//
// A handler that waits is tested in virtual time, in which minutes take none:
// call Invoke inside [testing/synctest.Test]. So is one that goes on in other
// invocations: give the function the options that it has on Lambda, which reach
// nothing in a test. A Stack, whose waits are hours,
// is at home there. A Recorder needs real time, and so does a handler that
// does real I/O: see [StackOptions].
package cfntest
