package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// The whole of a main function is lambda.Start(d). Here the event is handed over
// by hand, and the answer kept.
func ExampleNew() {
	topics := &Topics{days: make(map[string]int)}
	answers := new(recorder)
	d := cfnresource.New(topics, silent, func(o *cfnresource.Options) { o.Sender = answers })
	event := created(object{"ResourceProperties": object{"Topic": "orders", "Days": "30"}})()
	if _, err := d.Invoke(context.Background(), event); err != nil {
		fmt.Println(err)
	}
	for _, days := range topics.days {
		fmt.Println(days, "days, and", len(answers.bodies), "answer")
	}
	// Output: 30 days, and 1 answer
}

// Options are changed by a function, or by several.
func ExampleOptions() {
	inJSON := func(o *cfnresource.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(os.Stdout, nil))
	}
	shortNames := func(o *cfnresource.Options) { o.IDLength = 32 }
	d := cfnresource.New(&Topics{}, inJSON, shortNames)
	fmt.Println(d.Err())
	// Output: <nil>
}

// A job that runs once for each change of its properties, and makes nothing that could be deleted.
func ExampleAction() {
	type props struct{ Name string }
	greet := cfnresource.Action(func(_ context.Context, req *cfnresource.UpdateRequest[props]) (map[string]string, error) {
		return map[string]string{"Text": "hello, " + req.Properties.Name}, nil
	})
	data, err := greet.Create(context.Background(), &cfnresource.CreateRequest[props]{Properties: props{Name: "shop"}})
	fmt.Println(data["Text"], err)
	// Output: hello, shop <nil>
}

// What Create meets under its StableID was made by an earlier delivery, and is
// finished by Update. Under any other name it is somebody else's.
func ExampleAlreadyExists() {
	err := cfnresource.AlreadyExists("topic-1")
	fmt.Println(cfnresource.CodeOf(err))
	// Output: AlreadyExists
}

// What Create says is Created is deleted, whatever fails afterwards.
func ExampleCreateRequest_Created() {
	create := func(_ context.Context, req *cfnresource.CreateRequest[topicProps]) (topicData, error) {
		req.Created("topic-1") // the service has said so
		return topicData{}, errors.New("the second call failed")
	}
	req := &cfnresource.CreateRequest[topicProps]{}
	_, err := create(context.Background(), req)
	fmt.Println(err, "and is deleted:", req.CreatedID())
	// Output: the second call failed and is deleted: topic-1
}

// The status of a service's response says what the dispatcher does: this call is
// tried again, and not before the service is ready.
func ExampleHTTPStatus() {
	resp := &http.Response{StatusCode: http.StatusTooManyRequests}
	err := cfnresource.HTTPStatus(resp.StatusCode, errors.New("the service is busy"))
	err = cfnresource.RetryAfter(err, 10*time.Second) // what it said in its header
	fmt.Println(cfnresource.CodeOf(err))
	// Output: Throttling
}
