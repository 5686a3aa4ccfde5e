// Command accesskey is a program of docs/recipes.md: a key whose service shows its
// secret once, and cannot make a new one.
package main

import (
	"context"
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
