package cfntest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A function that continues needs no more than this in a test. What this one waits for
// is ready at once.
func ExampleContinues() {
	t := exampleT() // the test's own t
	wait := cfnresource.Action(func(ctx context.Context, _ *cfnresource.UpdateRequest[Topic]) (struct{}, error) {
		ready := func(context.Context) (bool, error) { return true, nil }
		return struct{}{}, cfnresource.Poll(ctx, time.Second, ready)
	})
	function := func() cfntest.Function { return cfnresource.New(wait, cfntest.Continues) }
	got := cfntest.Invoke(t, function(), cfntest.CreateEvent(Topic{Name: "orders"}))
	fmt.Println(got.Status, got.Invocations)
	// Output: SUCCESS 1
}
