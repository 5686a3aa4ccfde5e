package cfntest_test

import (
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// A replacement is rolled back, since another resource failed after it. In a
// test this is done in testing/synctest.Test instead of in real time.
func ExampleStack() {
	t := exampleT() // in a test: its t
	shelf, _ := library()
	stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
		return cfnresource.New(librarian{shelf}, quietly)
	}}, inRealTime)

	fmt.Println(stack.Deploy(cfntest.Template{
		"Book": {Properties: bookProps{Title: "Emma", Pages: 100}},
	}))
	first := stack.PhysicalID("Book")

	fmt.Println(stack.Deploy(cfntest.Template{
		"Book":  {Properties: bookProps{Title: "Lady Susan", Pages: 80}},
		"Topic": {Type: "AWS::SNS::Topic", DependsOn: []string{"Book"}, Fails: "no more topics"},
	}))
	fmt.Println("the first book is back:", stack.PhysicalID("Book") == first)
	fmt.Println("books:", len(shelf.names()))
	for _, r := range stack.Requests() {
		fmt.Println(r.Type, r.Outcome)
	}
	// Output:
	// CREATE_COMPLETE
	// UPDATE_ROLLBACK_COMPLETE
	// the first book is back: true
	// books: 1
	// Create Succeeded
	// Update Succeeded
	// Update Succeeded
	// Delete Succeeded
}

// A creation whose process dies half-way is finished by the next process, to
// which Lambda delivers the event again.
func ExampleStack_Inject() {
	t := exampleT() // in a test: its t
	shelf, service := library()
	stack := cfntest.NewStack(t, service, inRealTime)

	stack.Inject(fault.Fault{Kind: fault.DieAtStep, Step: 2, Request: "Create"})
	fmt.Println(stack.Deploy(cfntest.Template{"Book": {Properties: bookProps{Title: "Emma", Pages: 100}}}))
	for _, d := range stack.Requests()[0].Deliveries {
		if d.Response != nil {
			fmt.Println("answered", d.Response.Status)
		} else {
			fmt.Println("the process", d.Ended)
		}
	}
	fmt.Println("books:", len(shelf.names()))
	// Output:
	// CREATE_COMPLETE
	// the process died
	// answered SUCCESS
	// books: 1
}
