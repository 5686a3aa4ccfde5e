package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
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
type Queues struct{ tags []string }

func (q *Queues) Create(_ context.Context, req *cfnresource.CreateRequest[queueProps]) (res cfnresource.CreateResult[none], err error) {
	q.tags = append(q.tags, req.StableID())
	res.PhysicalID = fmt.Sprint("queue-", len(q.tags))
	return res, nil
}

func (q *Queues) Update(context.Context, *cfnresource.UpdateRequest[queueProps]) (res cfnresource.UpdateResult[none], err error) {
	return res, nil
}

func (q *Queues) Delete(context.Context, *cfnresource.DeleteRequest[queueProps]) error { return nil }

// Find makes Queues a Finder.
func (q *Queues) Find(_ context.Context, req *cfnresource.FindRequest[queueProps]) (physicalID string, err error) {
	for i, tag := range q.tags {
		if tag == req.StableID() {
			return fmt.Sprint("queue-", i+1), nil
		}
	}
	return "", nil
}

// Two deliveries of one event make one thing: the second one finds it.
func ExampleFinder() {
	queues := new(Queues)
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
	queues, answers := new(Queues), new(recorder)
	d := cfnresource.New(queues, silent, func(o *cfnresource.Options) { o.Sender = answers })
	event := created(object{"ResourceProperties": object{"Name": "my orders"}})()
	if _, err := d.Invoke(context.Background(), event); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(queues.tags), "queues:", queueProps{Name: "my orders"}.Validate())
	// Output: 0 queues: Name has a space or a slash
}

// A test says which phase its events come in.
func ExampleWithPhase() {
	report := cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[none]) (res cfnresource.UpdateResult[none], err error) {
		fmt.Println(req.Phase(ctx))
		return res, nil
	})
	d := cfnresource.New(report, silent, func(o *cfnresource.Options) { o.Sender = new(recorder) })
	ctx := cfnresource.WithPhase(context.Background(), lifecycle.PhaseCreating)
	if _, err := d.Invoke(ctx, created(object{"ResourceProperties": object{}})()); err != nil {
		fmt.Println(err)
	}
	// Output: Creating
}
