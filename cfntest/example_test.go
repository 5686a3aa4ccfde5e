package cfntest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// Topic is what the examples' template declares.
type Topic struct {
	Name string
	Days int
}

// keep is the handler of the examples: a look-up.
func keep(_ context.Context, req *cfnresource.UpdateRequest[Topic]) (data map[string]string, err error) {
	data = map[string]string{"Name": req.Properties.Name}
	return data, nil
}

// The properties reach the function as strings, beside its ARN.
func ExampleCreateEvent() {
	event := cfntest.CreateEvent(Topic{Name: "orders", Days: 14}, func(e *cfntest.Event) {
		e.RequestID = "5a7d9dda-94e2-4d20-ad9b-eb66d61746fa"
		e.ResponseURL = "https://example.com/answer" // instead of a signed URL
	})
	fmt.Println(indent(event))
	// Output:
	// {
	//   "RequestType": "Create",
	//   "ServiceToken": "arn:aws:lambda:us-west-2:123456789012:function:my-function",
	//   "ResponseURL": "https://example.com/answer",
	//   "StackId": "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/8f3c1b60-6b52-11f0-9c1d-0a58a9feac02",
	//   "RequestId": "5a7d9dda-94e2-4d20-ad9b-eb66d61746fa",
	//   "LogicalResourceId": "MyResource",
	//   "ResourceType": "Custom::MyResource",
	//   "ResourceProperties": {
	//     "Days": "14",
	//     "Name": "orders",
	//     "ServiceToken": "arn:aws:lambda:us-west-2:123456789012:function:my-function"
	//   }
	// }
}

// The rollback of an update swaps the properties.
func ExampleUpdateEvent() {
	was, is := Topic{Name: "orders", Days: 14}, Topic{Name: "orders", Days: 30}
	forward := cfntest.UpdateEvent("topic-1", is, was)
	back := cfntest.UpdateEvent("topic-1", was, is)
	fmt.Println(field(forward, "ResourceProperties", "Days"), field(back, "ResourceProperties", "Days"))
	// Output: 30 14
}

// A Delete names the resource by the physical ID of the last answer.
func ExampleDeleteEvent() {
	event := cfntest.DeleteEvent("topic-1", Topic{Name: "orders"})
	fmt.Println(field(event, "RequestType"), field(event, "PhysicalResourceId"))
	// Output: Delete topic-1
}

// In a test, t is the test's own.
func ExampleInvoke() {
	t := exampleT()
	d := cfnresource.New(cfnresource.Action(keep))

	answer := cfntest.Invoke(t, d, cfntest.CreateEvent(Topic{Name: "orders"}))
	fmt.Println(answer.Status, answer.Data["Name"])

	// A mistake in the template: Days is not a number.
	answer = cfntest.Invoke(t, d, cfntest.CreateEvent(map[string]any{"Name": "orders", "Days": "many"}))
	fmt.Println(answer.Status)
	// Output:
	// SUCCESS orders
	// FAILED
}

// A Lambda function of three seconds.
func ExampleInvokeContext() {
	t := exampleT()
	d := cfnresource.New(cfnresource.Action(keep))

	ctx, cancel := context.WithTimeout(t.Context(), lambdaDefault)
	defer cancel()
	answer := cfntest.InvokeContext(ctx, t, d, cfntest.CreateEvent(Topic{Name: "orders"}))
	fmt.Println(answer.Status)
	// Output: SUCCESS
}

// The answer goes over HTTP, and S3 is unavailable at first.
func ExampleRecorder() {
	t := exampleT()
	rec := cfntest.NewRecorder(t)
	rec.FailNext(503)

	d := cfnresource.New(cfnresource.Action(keep), rec.Options)
	if _, err := d.Invoke(t.Context(), cfntest.CreateEvent(Topic{Name: "orders"}, rec.Event)); err != nil {
		t.Fatal(err)
	}
	fmt.Println(rec.Response().Status)
	// Output: SUCCESS
}

// In a test's file this is
//
//	func TestNoteInEveryHistory(t *testing.T) { cfntest.Explore(t, noteContract) }
//
// which goes three operations deep.
func ExampleExplore() {
	ok := runTest(func(t *testing.T) {
		cfntest.Explore(t, noteContract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
	})
	fmt.Println("ok:", ok)
	// Output: ok: true
}

// Explore prints such a line with what it finds. Here nothing is wrong: the process that dies in
// the rollback of a replacement is followed by one that finishes.
func ExampleReplay() {
	ok := runTest(func(t *testing.T) {
		cfntest.Replay(t, noteContract, "v0 v2/sibling-fails!die-at-step:2@2 delete")
	})
	fmt.Println("ok:", ok)
	// Output: ok: true
}
