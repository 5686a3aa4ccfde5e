// Command oldest is a program of docs/recipes.md: a channel of a service that
// numbers what it makes, takes no client tokens, and whose lists lag.
package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Name  string `cfn:"createOnly,required"`
	Topic string
}

type Channel struct{ api API }

// Create makes a channel. Two deliveries at once find nothing and make two: the
// oldest wins. A list that shows the one made here also shows all older ones.
func (c *Channel) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (none struct{}, err error) { //nolint:unparam // Fn::GetAtt reads nothing of it
	made, err := c.api.Create(ctx, req.StableID(), req.Properties.Name, req.Properties.Topic)
	if err != nil {
		return none, err
	}
	req.Created(made)
	var mine []string
	err = cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (shown bool, err error) {
		mine, err = c.marked(ctx, req.StableID())
		return slices.Contains(mine, made), err
	})
	if err != nil || mine[0] == made {
		return none, err
	}
	if err := c.api.Delete(ctx, made); err != nil {
		return none, err
	}
	req.Created(mine[0])
	return none, cfnresource.AlreadyExists(mine[0]) // Update finishes it
}

func (c *Channel) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (none struct{}, err error) { //nolint:unparam // Fn::GetAtt reads nothing of it
	return none, c.api.SetTopic(ctx, req.PhysicalID, req.Properties.Topic)
}

func (c *Channel) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return c.api.Delete(ctx, req.PhysicalID) // CodeNotFound if it is gone
}

func (c *Channel) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (string, error) {
	mark, err := c.api.Mark(ctx, req.PhysicalID)
	switch {
	case err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound:
		return "", err
	case mark == req.StableID():
		return req.PhysicalID, nil
	}
	mine, err := c.marked(ctx, req.StableID())
	return append(mine, "")[0], err
}

// marked returns the channels that bear a mark, the oldest first. A list shows
// what is deleted, too, so each is read.
func (c *Channel) marked(ctx context.Context, mark string) (ids []string, err error) {
	shown, err := c.api.List(ctx, mark)
	for _, id := range shown {
		switch got, err := c.api.Mark(ctx, id); {
		case err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound:
			return nil, err
		case got == mark:
			ids = append(ids, id)
		}
	}
	return ids, err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }

// An API is what the service does. What is not there is an error with CodeNotFound.
type API interface {
	Create(ctx context.Context, mark, name, topic string) (id string, err error)
	SetTopic(ctx context.Context, id, topic string) error
	Delete(ctx context.Context, id string) error
	// Mark returns the mark of a channel, without delay.
	Mark(ctx context.Context, id string) (string, error)
	// List returns the channels that bear a mark, the oldest first, as they were a while ago.
	List(ctx context.Context, mark string) (ids []string, err error)
}

// open is where a client of the service is made.
func open(context.Context) (*Channel, error) { return nil, errors.New("there is no such service") }
