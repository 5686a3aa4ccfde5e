// Package after manages mailboxes with this SDK, those that the program before it made included.
package after

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
)

// Props are a mailbox's properties.
type Props struct {
	Owner string `cfn:"createOnly,required"` // another owner gets another mailbox
	Quota int
}

// Data is what a template can ask a mailbox for.
type Data struct{ Address string }

// Mailboxes is the handler: lambda.Start(cfnresource.New(m)).
type Mailboxes struct{ API mail.API }

// Create makes a mailbox.
func (m *Mailboxes) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	name := req.StableID()
	err := m.API.Open(ctx, name, req.Properties.Owner)
	if errors.Is(err, mail.ErrExists) {
		return Data{}, cfnresource.AlreadyExists(name) // made by an earlier delivery: Update finishes it
	}
	if err != nil {
		return Data{}, err
	}
	req.Created(name) // if anything fails from here on, it is deleted
	return data(name), m.API.SetQuota(ctx, name, req.Properties.Quota)
}

// Update brings a mailbox to its properties.
func (m *Mailboxes) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	name := nameOf(req.Request, req.PhysicalID, req.Properties)
	if req.IdentityChanged && !goesBack(ctx, req, name) {
		return Data{}, cfnresource.Errorf(cfnresource.CodeNotUpdatable,
			"%s is from before the move, and keeps its owner: rename the resource in the template to get another mailbox", req.PhysicalID)
	}
	return data(name), m.API.SetQuota(ctx, name, req.Properties.Quota)
}

// Delete removes a mailbox.
func (m *Mailboxes) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	err := m.API.Close(ctx, nameOf(req.Request, req.PhysicalID, req.Properties))
	if errors.Is(err, mail.ErrNotFound) {
		return nil // gone already, or never made
	}
	return err
}

func data(name string) Data { return Data{Address: name + "@example.com"} }
