package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type queueProps struct {
	Name string `cfn:"createOnly,required"`
}

// Validate makes queueProps a Validator.
func (p queueProps) Validate() error {
	if strings.ContainsAny(p.Name, " /") {
		return errors.New("Name has a space or a slash")
	}
	return nil
}

type none struct{}

// Queues gives its things IDs of its own. Each bears a StableID as its tag.
type Queues struct{ tags map[string]string } // by ID

func (q *Queues) Create(_ context.Context, req *cfnresource.CreateRequest[queueProps]) (none, error) {
	id := fmt.Sprint("queue-", len(q.tags)+1)
	q.tags[id] = req.StableID()
	req.Created(id)
	return none{}, nil
}

func (q *Queues) Update(context.Context, *cfnresource.UpdateRequest[queueProps]) (none, error) {
	return none{}, nil
}

func (q *Queues) Delete(_ context.Context, req *cfnresource.DeleteRequest[queueProps]) error {
	delete(q.tags, req.PhysicalID)
	return nil
}

// Find makes Queues a Finder: it reads the queue of the event, then searches.
func (q *Queues) Find(_ context.Context, req *cfnresource.FindRequest[queueProps]) (physicalID string, err error) {
	if q.tags[req.PhysicalID] == req.StableID() {
		return req.PhysicalID, nil
	}
	for id, tag := range q.tags {
		if tag == req.StableID() {
			return id, nil
		}
	}
	return "", nil
}

// Two deliveries of one event make one thing: the second one finds it.
func ExampleFinder() {
	queues := &Queues{tags: make(map[string]string)}
	answers := new(recorder)
	d := func() *cfnresource.Dispatcher { // a process each
		return cfnresource.New(queues, silent, func(o *cfnresource.Options) { o.Sender = answers })
	}
	event := created(object{"ResourceProperties": object{"Name": "orders"}})()
	for range 2 {
		if _, err := d().Invoke(context.Background(), event); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(queues.tags), "queue")
	// Output: 1 queue
}

// What Validate refuses is answered FAILED before anything is made.
func ExampleValidator() {
	queues, answers := &Queues{tags: make(map[string]string)}, new(recorder)
	d := cfnresource.New(queues, silent, func(o *cfnresource.Options) { o.Sender = answers })
	event := created(object{"ResourceProperties": object{"Name": "my orders"}})()
	if _, err := d.Invoke(context.Background(), event); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(queues.tags), "queues:", queueProps{Name: "my orders"}.Validate())
	// Output: 0 queues: Name has a space or a slash
}
