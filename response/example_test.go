package response_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/cfnresource/sdk-go/response"
)

// The signed URL of this example is a local one, which is sent to because it is listed.
func Example() {
	bucket := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Method, string(body))
	}))
	defer bucket.Close()

	url, err := response.ParseURL(bucket.URL + "/stack%7CTopic%7C6245fb70?X-Amz-Signature=c0ffee")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := response.Answer{
		Status:             response.Success,
		PhysicalResourceID: "topic-1",
		StackID:            "stack",
		RequestID:          "6245fb70",
		LogicalResourceID:  "Topic",
		Data:               map[string]any{"Region": "eu-west-1"},
	}.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	sender := response.NewSender("eu-west-1", response.SenderOptions{Hosts: []string{bucket.URL}})
	if err := sender.Send(context.Background(), url, body); err != nil {
		fmt.Println(err)
	}
	// Output:
	// PUT {"Status":"SUCCESS","PhysicalResourceId":"topic-1","StackId":"stack","RequestId":"6245fb70","LogicalResourceId":"Topic","Data":{"Region":"eu-west-1"}}
}

// What is too large is told by key, so that the handler's author knows what to leave out.
func ExampleTooLargeError() {
	_, err := response.Answer{
		Status: response.Success, PhysicalResourceID: "cert-1",
		StackID: "stack", RequestID: "6245fb70", LogicalResourceID: "Certificate",
		Data: map[string]any{"Arn": "arn:aws:acm:eu-west-1:123456789012:certificate/1", "Chain": string(make([]byte, 1000))},
	}.Encode()
	if tooLarge, ok := errors.AsType[*response.TooLargeError](err); ok {
		for _, k := range tooLarge.Keys {
			fmt.Println(k.Key, k.Bytes)
		}
	}
	// Output:
	// Chain 6010
	// Arn 56
}

// A queue is a Sender that hands answers to another program, which may reach
// S3. It is a Connector too: it says before the work begins which URLs it takes.
type queue struct{ answers map[string][]byte }

func (q *queue) Send(_ context.Context, url response.URL, body []byte) error {
	q.answers[url.Host()] = body
	return nil
}

func (q *queue) Check(url response.URL) error {
	if url.Host() != "answers.example.com" {
		return fmt.Errorf("%s is not ours", url.Host())
	}
	return nil
}

func (q *queue) Connect(context.Context, response.URL) error { return nil } // there is nothing to open

// A Sender of one's own goes into cfnresource.Options. Here it is asked what the
// dispatcher asks it before it handles an event.
func ExampleSender() {
	var sender response.Sender = &queue{answers: make(map[string][]byte)}
	if connector, ok := sender.(response.Connector); ok {
		url, _ := response.ParseURL("https://elsewhere.example.com/key?X-Amz-Signature=c0ffee")
		fmt.Println(connector.Check(url))
	}
	// Output:
	// elsewhere.example.com is not ours
}
