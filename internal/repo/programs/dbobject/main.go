// Command dbobject is a program of docs/recipes.md and docs/moving.md: users and schemas of database
// servers. The properties say which of the two it is, at which server, and how to log in there. A
// program of before marked nothing, and answered the same ID for each.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Server   string `cfn:"createOnly,required"` // its address
	Kind     string `cfn:"createOnly,required"` // user or schema
	Name     string `cfn:"createOnly,required"`
	Login    string `cfn:"required"` // the ARN of the secret that the handler logs in with
	Password string // a user's: the ARN of a secret
	Owner    string // a schema's
}

// Validate has what each kind requires.
func (p Props) Validate() error {
	switch {
	case p.Kind == "user" && p.Password == "":
		return errors.New("a user requires a Password")
	case p.Kind == "schema" && p.Owner == "":
		return errors.New("a schema requires an Owner")
	case p.Kind != "user" && p.Kind != "schema":
		return errors.New("the Kind is user or schema")
	}
	return nil
}

// id is an object's physical ID: what is at another server, or of another kind, is another object.
func (p Props) id() string { return p.Server + "/" + p.Kind + "/" + p.Name }

// A Server is what one can do at a server that one has logged in to. It has no object under an id
// that names none.
type Server interface {
	// Mark reads what an object's comment holds. It fails with CodeNotFound if there is no such object.
	Mark(ctx context.Context, id string) (string, error)
	// Create makes an object, or fails with CodeAlreadyExists.
	Create(ctx context.Context, id, mark, owner, password string) error
	Alter(ctx context.Context, id, mark, owner, password string) error
	// Drop removes an object, or fails with CodeNotFound.
	Drop(ctx context.Context, id string) error
}

type Objects struct {
	secret func(ctx context.Context, arn string) (string, error)
	login  func(address, password string) Server
}

func (o *Objects) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (none struct{}, err error) { //nolint:unparam // Fn::GetAtt reads nothing of it
	p := req.Properties
	server, password, err := o.open(ctx, p)
	if err != nil {
		return none, err
	}
	err = server.Create(ctx, p.id(), req.StableIDOf(p.id()), p.Owner, password)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		return none, cfnresource.AlreadyExists(p.id())
	}
	if err == nil {
		req.Created(p.id())
	}
	return none, err
}

// Update marks what a program of before made, but not if it is to become another object.
func (o *Objects) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (none struct{}, err error) { //nolint:unparam // Fn::GetAtt reads nothing of it
	id, p := idOf(req.PhysicalID, req.Properties), req.Properties
	server, password, err := o.open(ctx, p)
	if err != nil {
		return none, err
	}
	mark, err := server.Mark(ctx, id)
	mine := req.StableIDOf(id)
	back := id == req.PhysicalID && id == p.id() // from an update that was refused here
	if mark != mine && (mark != "" || req.IdentityChanged && !back) {
		return none, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "%s does not bear this resource's mark: give the resource another logical ID", id)
	}
	if err != nil {
		return none, err
	}
	return none, server.Alter(ctx, id, mine, p.Owner, password)
}

// Delete takes what bears no mark for what a program of before made, under the event's own ID.
func (o *Objects) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	id := idOf(req.PhysicalID, req.Properties)
	server, _, err := o.open(ctx, Props{Server: strings.Split(id, "/")[0], Login: req.Properties.Login})
	if err != nil {
		return err
	}
	mark, err := server.Mark(ctx, id)
	if err != nil {
		return err
	}
	if mark != "" && mark != req.StableIDOf(id) {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "%s is another resource's", id)
	}
	return server.Drop(ctx, id)
}

// Find takes nothing for this resource's that does not bear its mark.
func (o *Objects) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (string, error) {
	p := req.Properties
	if req.PropertiesErr != nil || p.Validate() != nil {
		return "", nil //nolint:nilerr // such properties were refused
	}
	server, _, err := o.open(ctx, Props{Server: p.Server, Login: p.Login})
	if err != nil {
		return "", err
	}
	mark, err := server.Mark(ctx, p.id())
	if err != nil || mark != req.StableIDOf(p.id()) {
		if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
			err = nil
		}
		return "", err
	}
	return p.id(), nil
}

// open logs in, and reads what else is secret. An error of the store keeps no code: a login that is
// gone is no object that is gone.
func (o *Objects) open(ctx context.Context, p Props) (s Server, password string, err error) {
	login, err := o.secret(ctx, p.Login)
	if err == nil && p.Password != "" {
		password, err = o.secret(ctx, p.Password)
	}
	if err != nil {
		return nil, "", cfnresource.Errorf(cfnresource.CodeInvalidCredentials, "a secret cannot be read: %v", err)
	}
	cfnresource.Secret(ctx, login, password)
	return o.login(p.Server, login), password, nil
}

// idOf returns the object that a physical ID stands for. The program of before answered "done".
func idOf(physicalID string, p Props) string {
	if physicalID == "done" {
		return p.id()
	}
	return physicalID
}

// open is where the clients of the services are made.
func open(context.Context) (*Objects, error) { return nil, errors.New("there is no such service") }

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
