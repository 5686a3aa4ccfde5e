// Command settings is a program of docs/recipes.md: an entry of a service that
// makes and changes by PUT, which does not say whether there was one before.
package main

import (
	"context"
	"errors"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// An API is what the service does. Delete of what is not there is an error with CodeNotFound.
type API interface {
	Exists(ctx context.Context, name string) (bool, error)
	Put(ctx context.Context, name, value string) error
	Delete(ctx context.Context, name string) error
}

type Props struct {
	Team  string `cfn:"createOnly,required"` // another team has another entry
	Value string
}

type Data struct{ Name string }

type Settings struct{ api API }

// Create asks before it puts: what it would put over is an earlier delivery's, or
// the entry in use to which a rollback comes back, and not to be undone.
func (s *Settings) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	name := req.StableID()
	if there, err := s.api.Exists(ctx, name); err != nil {
		return Data{}, err
	} else if there {
		return Data{}, cfnresource.AlreadyExists(name) // Update brings it to its properties
	}
	data, err := s.put(ctx, name, req.Properties)
	if err == nil {
		req.Created(name)
	}
	return data, err
}

func (s *Settings) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return s.put(ctx, req.PhysicalID, req.Properties)
}

func (s *Settings) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return s.api.Delete(ctx, req.PhysicalID)
}

func (s *Settings) put(ctx context.Context, name string, props Props) (Data, error) {
	return Data{Name: name}, s.api.Put(ctx, name, props.Value)
}

// open is where a client of the service is made.
func open(context.Context) (*Settings, error) { return nil, errors.New("there is no such service") }

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
