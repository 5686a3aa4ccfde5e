// Command token is a program of docs/recipes.md: a token whose service shows its
// secret once, and can make a new one.
package main

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Team  string `cfn:"createOnly,required"`
	Scope string
}

// Data leads to the secret: each answer has the same, and none has the secret.
type Data struct{ SecretName string }

type Tokens struct {
	api   API
	store Store
}

func (t *Tokens) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id, secret, err := t.api.Create(ctx, req.StableID(), req.IdempotencyToken(), req.Properties.Scope)
	if err != nil {
		return Data{}, err
	}
	req.Created(id)
	if secret.Text != "" {
		err = cfnresource.Retry(ctx, func(ctx context.Context) error { return t.store.Put(ctx, nameOf(id), secret) })
		if err != nil {
			return Data{}, err
		}
	}
	return t.stored(ctx, id)
}

// Update makes up for what a Create could not: the process may have died before it
// stored the secret.
func (t *Tokens) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	if err := t.api.SetScope(ctx, req.PhysicalID, req.Properties.Scope); err != nil {
		return Data{}, err
	}
	return t.stored(ctx, req.PhysicalID)
}

// Delete ends the token last: until then, its ID leads to both.
func (t *Tokens) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	if err := t.store.Delete(ctx, nameOf(req.PhysicalID)); err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
		return err
	}
	return t.api.Delete(ctx, req.PhysicalID)
}

func (t *Tokens) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (string, error) {
	shown, err := t.api.List(ctx, req.StableID())
	if err != nil {
		return "", err
	}
	for _, id := range append([]string{req.PhysicalID}, shown...) {
		switch token, err := t.api.Get(ctx, id); {
		case err == nil && token.Mark == req.StableID():
			return id, nil
		case err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound:
			return "", err
		}
	}
	return "", nil
}

// stored returns when the secret that is good is the one in the store. Another delivery may rotate
// at the same time: whoever stores last sees that the other's is good, and rotates once more.
func (t *Tokens) stored(ctx context.Context, id string) (Data, error) {
	err := cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
		token, err := t.api.Get(ctx, id)
		if err != nil {
			return false, err
		}
		version, err := t.store.Version(ctx, nameOf(id))
		if err != nil || version == token.Version {
			return err == nil, err
		}
		secret, err := t.api.Rotate(ctx, id)
		if err != nil {
			return false, err
		}
		return false, t.store.Put(ctx, nameOf(id), secret) // look again
	})
	return Data{SecretName: nameOf(id)}, err
}

// nameOf returns the name of a token's secret in the store.
func nameOf(id string) string { return "tokens/" + id }

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }

// An API is what the service does. What is not there is an error with CodeNotFound.
type API interface {
	// Create makes a token that bears a mark. Its secret is shown here alone. A second call with
	// the same client token returns the first one's ID, and no secret.
	Create(ctx context.Context, mark, clientToken, scope string) (id string, s Secret, err error)
	// Rotate gives a token a new secret. The old one ends.
	Rotate(ctx context.Context, id string) (Secret, error)
	SetScope(ctx context.Context, id, scope string) error
	Get(ctx context.Context, id string) (Token, error)
	Delete(ctx context.Context, id string) error
	// List returns the tokens that bear a mark.
	List(ctx context.Context, mark string) (ids []string, err error)
}

// A Secret is what a token is used with. Each has a version of its own.
type Secret struct {
	Version int
	Text    string
}

// A Token is what the service shows of a token: all but its secret.
type Token struct {
	Mark    string
	Version int // of the secret that is good
}

// A Store keeps secrets under names.
type Store interface {
	Put(ctx context.Context, name string, s Secret) error
	// Version returns that of the secret under a name, or 0 if there is none.
	Version(ctx context.Context, name string) (int, error)
	Delete(ctx context.Context, name string) error // CodeNotFound if there is none
}

// open is where clients of the service and the store are made.
func open(context.Context) (*Tokens, error) { return nil, errors.New("there is no such service") }
