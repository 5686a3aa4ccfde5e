package cfntest_test

import (
	"context"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A test says why its event comes.
func ExampleWithPhase() {
	t := exampleT() // the test's own t
	report := cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[Topic]) (struct{}, error) {
		fmt.Println(req.Phase(ctx))
		return struct{}{}, nil
	})
	ctx := cfntest.WithPhase(context.Background(), lifecycle.PhaseCreating)
	cfntest.InvokeContext(ctx, t, cfnresource.New(report), cfntest.CreateEvent(Topic{Name: "orders"}))
	// Output: Creating
}
