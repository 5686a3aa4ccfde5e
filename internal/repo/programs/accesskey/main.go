// Command accesskey is a program of docs/recipes.md: a key whose service shows its
// secret once, and cannot make a new one.
package main

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// timeout is the function's. After it, whoever made a key no longer works.
const timeout = time.Minute

type Props struct {
	User  string `cfn:"createOnly,required"`
	Label string
}

// Data leads to the key: each answer has the same, and none has the secret.
type Data struct{ SecretName string }

// Keys manages keys. The physical ID is the name in the store: a key that was not
// stored is of no use to anybody, and another may take its place.
type Keys struct {
	api   API
	store Store
}

func (k *Keys) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	return k.stored(ctx, req.StableID(), req.Properties.Label)
}

func (k *Keys) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return k.stored(ctx, req.PhysicalID, req.Properties.Label)
}

// Delete ends what was made under the name, stored or not.
func (k *Keys) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	keys, err := k.api.List(ctx, req.PhysicalID)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := k.end(ctx, key.ID); err != nil {
			return err
		}
	}
	return k.store.Delete(ctx, req.PhysicalID)
}

// stored returns when there is a key in the store.
func (k *Keys) stored(ctx context.Context, name, label string) (Data, error) {
	err := cfnresource.Poll(ctx, 5*time.Second, func(ctx context.Context) (bool, error) {
		keys, err := k.api.List(ctx, name)
		if err != nil {
			return false, err
		}
		id, err := k.store.ID(ctx, name)
		if err != nil || id != "" {
			return err == nil, err
		}
		// What is not stored was made by a process that died, and goes; or by a
		// delivery that stores it in a moment. Only age tells.
		for _, key := range keys {
			if time.Since(key.Made) < timeout {
				return false, nil
			}
			if err := k.end(ctx, key.ID); err != nil {
				return false, err
			}
		}
		return k.create(ctx, name)
	})
	if err != nil {
		return Data{}, err
	}
	return Data{SecretName: name}, cfnresource.Retry(ctx, func(ctx context.Context) error { return k.store.Label(ctx, name, label) })
}

// create makes a key and stores it. Of two deliveries at once, the one that stores
// first has made the resource, and the other one's key goes.
func (k *Keys) create(ctx context.Context, name string) (done bool, err error) {
	id, secret, err := k.api.Create(ctx, name)
	if err != nil {
		return false, err
	}
	err = k.store.Create(ctx, name, id, secret)
	if err == nil {
		return true, nil
	}
	if ended := k.end(ctx, id); ended != nil {
		return false, ended
	}
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		return true, nil
	}
	return false, err
}

// end deletes a key, unless it is gone.
func (k *Keys) end(ctx context.Context, id string) error {
	err := cfnresource.Retry(ctx, func(ctx context.Context) error { return k.api.Delete(ctx, id) })
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		return nil
	}
	return err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }

// An API is what the service does. What is not there is an error with CodeNotFound.
type API interface {
	// Create makes a key that bears a mark. Its secret is shown here alone.
	Create(ctx context.Context, mark string) (id, secret string, err error)
	Delete(ctx context.Context, id string) error
	// List returns the keys that bear a mark.
	List(ctx context.Context, mark string) ([]Key, error)
}

// A Key is what the service shows of a key: all but its secret.
type Key struct {
	ID   string
	Made time.Time
}

// A Store keeps keys with their secrets, under names.
type Store interface {
	// Create stores a key, and returns CodeAlreadyExists if there is one of that name.
	Create(ctx context.Context, name, id, secret string) error
	// ID returns that of the key under a name, or "" if there is none.
	ID(ctx context.Context, name string) (string, error)
	Label(ctx context.Context, name, label string) error
	Delete(ctx context.Context, name string) error // CodeNotFound if there is none
}

// open is where clients of the service and the store are made.
func open(context.Context) (*Keys, error) { return nil, errors.New("there is no such service") }
