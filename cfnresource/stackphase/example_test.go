package stackphase_test

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A handler that keeps its data when a stack rolls back, and empties the bucket
// only where it is really to go.
func ExampleLookup() {
	// In a function, this is a *cloudformation.Client, or FromEnvironment in
	// place of Option. Here it is a stack whose creation failed.
	var client stackphase.Client = &fake{status: types.StackStatusRollbackInProgress}
	lookup := stackphase.Lookup(client)

	phase, err := lookup(context.Background(), &cfnresource.Operation{
		Request: cfnresource.Request{StackID: stackID, LogicalID: "Archive"},
		Name:    "Delete", PhysicalID: "archive-1",
	})
	if err != nil {
		fmt.Println(err)
	}
	switch phase { // a handler gets it from req.Phase(ctx)
	case lifecycle.PhaseDeleting, lifecycle.PhaseRemoval:
		fmt.Println("empty the bucket, then delete it")
	default:
		fmt.Println("delete the bucket if it is empty:", phase)
	}
	// Output: delete the bucket if it is empty: CreateRollback
}

// A Dispatcher that asks with a client of the program's own.
func ExampleOption() {
	client := &fake{status: types.StackStatusCreateInProgress} // a *cloudformation.Client
	handler := cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[struct{}]) (data struct{}, err error) {
		return data, nil
	})
	fmt.Println(cfnresource.New(handler, stackphase.Option(client)).Err())
	// Output: <nil>
}

// A Dispatcher that asks with what Lambda gives the function. Nothing is asked,
// and no client is made, before a phase is wanted.
func ExampleFromEnvironment() {
	handler := cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[struct{}]) (data struct{}, err error) {
		return data, nil
	})
	fmt.Println(cfnresource.New(handler, stackphase.FromEnvironment).Err()) // then lambda.Start
	// Output: <nil>
}
