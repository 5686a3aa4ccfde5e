package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type topicProps struct {
	Topic string `cfn:"createOnly"`
	Days  int    `cfn:"default=14"`
}

type topicData struct{ Endpoint string }

// Topics is a Handler that names its resources by their StableID.
type Topics struct{ days map[string]int }

func (t *Topics) Create(_ context.Context, req *cfnresource.CreateRequest[topicProps]) (topicData, error) {
	id := req.StableID()
	if _, taken := t.days[id]; taken {
		return topicData{}, cfnresource.AlreadyExists(id)
	}
	t.days[id] = req.Properties.Days
	req.Created(id)
	return topicData{Endpoint: "https://example.com/" + req.Properties.Topic}, nil
}

func (t *Topics) Update(_ context.Context, req *cfnresource.UpdateRequest[topicProps]) (topicData, error) {
	t.days[req.PhysicalID] = req.Properties.Days
	return topicData{Endpoint: "https://example.com/" + req.Properties.Topic}, nil
}

func (t *Topics) Delete(_ context.Context, req *cfnresource.DeleteRequest[topicProps]) error {
	delete(t.days, req.PhysicalID)
	return nil
}

// A handler's unit test is a struct literal and a method call.
func ExampleHandler() {
	topics := &Topics{days: make(map[string]int)}
	req := &cfnresource.CreateRequest[topicProps]{Properties: topicProps{Topic: "orders", Days: 30}}
	data, err := topics.Create(context.Background(), req)
	fmt.Println(data.Endpoint, err)
	fmt.Println("created its StableID:", req.CreatedID() == req.StableID())
	// Output:
	// https://example.com/orders <nil>
	// created its StableID: true
}

// Middleware sees every call of a handler's method: here it counts them by
// outcome, and tells a tracer when each begins and ends.
func ExampleMiddleware() {
	counts := make(map[string]int) // in a function: CloudWatch's embedded metric format, OpenTelemetry, …
	metrics := func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
		err := next(ctx)
		outcome := "ok"
		if err != nil {
			outcome = string(cfnresource.CodeOf(err))
		}
		counts[op.ResourceType+" "+op.Name+" "+outcome]++
		return err
	}
	tracing := func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
		fmt.Println("begin", op.Name, op.LogicalID)
		defer fmt.Println("end", op.Name, op.LogicalID)
		return next(ctx) // with the span in ctx, for the handler's own calls
	}

	d := cfnresource.New(&Topics{days: make(map[string]int)}, silent, func(o *cfnresource.Options) {
		o.Sender = new(recorder)                                  // in a function, leave this out
		o.Middleware = []cfnresource.Middleware{metrics, tracing} // metrics is outermost
	})
	if _, err := d.Invoke(context.Background(), created(object{"ResourceProperties": object{"Topic": "orders"}})()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(counts)
	// Output:
	// begin Create Topic
	// end Create Topic
	// map[Custom::Topic Create ok:1]
}

// One function may answer for several resource types.
func ExampleNewDispatcher() {
	d := cfnresource.NewDispatcher()
	cfnresource.Handle(d, "Custom::Topic", &Topics{})
	cfnresource.Handle(d, "Custom::Answer", cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[struct{}]) (map[string]int, error) {
		return map[string]int{"Answer": 42}, nil
	}))
	fmt.Println(d.Err()) // then lambda.Start(d)
	// Output: <nil>
}

// Costly set-up belongs where its failure is answered.
func ExampleLazy() {
	open := func(context.Context) (*Topics, error) {
		return nil, errors.New("the parameter /topics/token is not there")
	}
	d := cfnresource.New(cfnresource.Lazy(open)) // then lambda.Start(d)
	fmt.Println(d.Err())
	// Output: <nil>
}

// A mistake that the compiler cannot find is found by a test of one line, and
// answered if there is none.
func ExampleDispatcher_Err() {
	type misspelt struct {
		Topic string `cfn:"createonly"`
	}
	d := cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[misspelt]) (none, error) {
		return none{}, nil
	}))
	fmt.Println(d.Err() != nil)
	// Output: true
}

// Poll waits within a request, and leaves the time that the answer needs.
func ExamplePoll() {
	started := time.Now()
	err := cfnresource.Poll(context.Background(), 100*time.Millisecond, func(context.Context) (bool, error) {
		return time.Since(started) > 150*time.Millisecond, nil // ask the service here
	})
	fmt.Println(err)
	// Output: <nil>
}

// In a Create that has called Created, a call is repeated here: the dispatcher
// does not call such a Create again.
func ExampleRetry() {
	tries := 0
	err := cfnresource.Retry(context.Background(), func(context.Context) error {
		if tries++; tries < 2 { // call the service here
			return cfnresource.HTTPStatus(http.StatusTooManyRequests, errors.New("slow down"))
		}
		return nil
	})
	fmt.Println(err, tries)
	// Output: <nil> 2
}

// Codes say what an error means for the dispatcher: this call is tried again.
func ExampleErrorf() {
	err := cfnresource.Errorf(cfnresource.CodeThrottling, "putting the topic: %w", errors.New("slow down"))
	fmt.Println(err)
	fmt.Println(cfnresource.CodeOf(err))
	// Output:
	// putting the topic: slow down
	// Throttling
}
