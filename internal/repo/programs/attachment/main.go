// Command attachment is a program of docs/recipes.md: a policy that is attached
// to a role. Attaching and detaching may be done twice, and leave no mark.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// An API is what the service does. Attach and Detach succeed if there is nothing to do.
type API interface {
	Attach(ctx context.Context, role, policy string) error
	Detach(ctx context.Context, role, policy string) error
	Attached(ctx context.Context, role, policy string) (bool, error)
}

type Props struct {
	Role   string `cfn:"createOnly,required"`
	Policy string `cfn:"createOnly,required"`
}

type Attachment struct{ api API }

// Create is called where Find has found nothing, so that what it attaches was
// not attached before, and may be undone.
func (a *Attachment) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (none struct{}, err error) { //nolint:unparam // Fn::GetAtt reads nothing of it
	if err := a.api.Attach(ctx, req.Properties.Role, req.Properties.Policy); err != nil {
		return none, err
	}
	req.Created(req.Properties.id())
	return none, nil
}

// Update attaches what somebody has detached.
func (a *Attachment) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (none struct{}, err error) { //nolint:unparam // Fn::GetAtt reads nothing of it
	role, policy, ok := strings.Cut(req.PhysicalID, "/")
	if !ok {
		return none, cfnresource.Errorf(cfnresource.CodeNotFound, "%s is not of the form ROLE/POLICY", req.PhysicalID)
	}
	if req.IdentityChanged && req.Properties.id() != req.PhysicalID { // else it is the way back from this error
		return none, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "%s was detached, so that it cannot be replaced", req.PhysicalID)
	}
	return none, a.api.Attach(ctx, role, policy)
}

func (a *Attachment) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	role, policy, ok := strings.Cut(req.PhysicalID, "/")
	if !ok {
		return nil // made up
	}
	return a.api.Detach(ctx, role, policy)
}

// Find needs no mark and no search: an attachment is its two names.
func (a *Attachment) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (string, error) {
	if req.PropertiesErr != nil {
		return "", nil //nolint:nilerr // such properties were refused
	}
	attached, err := a.api.Attached(ctx, req.Properties.Role, req.Properties.Policy)
	if !attached {
		return "", err
	}
	return req.Properties.id(), err
}

func (p Props) id() string { return p.Role + "/" + p.Policy }

// open is where a client of the service is made.
func open(context.Context) (*Attachment, error) { return nil, errors.New("there is no such service") }

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
