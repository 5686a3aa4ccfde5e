package response_test

import (
	"context"
	"fmt"

	"github.com/cfnresource/sdk-go/response"
)

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
