// Package cfntest tests handlers of custom resources, without AWS and without
// a network. A whole test reads:
//
//	func TestSubscription(t *testing.T) {
//		d := cfnresource.New(&Subscription{hub: newHub()})
//		props := Props{Topic: "orders", Active: true}
//
//		created := cfntest.Invoke(t, d, cfntest.CreateEvent(props))
//		if created.Status != "SUCCESS" || created.Data["Secret"] == "" {
//			t.Fatalf("Create answered %v", created)
//		}
//
//		deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(created.PhysicalResourceID, props))
//		if deleted.Status != "SUCCESS" {
//			t.Fatalf("Delete answered %v", deleted)
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
// [Invoke] hands an event to a Dispatcher or a Mux and returns the answer. It
// fails the test unless there is exactly one, of a form that CloudFormation
// accepts. A FAILED answer is such a form: whether it is the right one is for
// the test to say.
//
// [Recorder] is for what Invoke leaves out: it takes the place of the signed
// URL, over HTTP on the loopback interface, and can fail.
//
// # Time
//
// A handler that waits is tested in virtual time, in which minutes take none:
// call Invoke inside [testing/synctest.Test]. A Recorder needs real time.
package cfntest
