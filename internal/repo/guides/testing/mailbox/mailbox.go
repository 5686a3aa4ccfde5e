// Package mailbox manages mailboxes, and holds what CloudFormation demands.
package mailbox

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
)

// Props are a mailbox's properties.
type Props struct {
	Owner string `cfn:"createOnly"` // another owner gets another mailbox
	Quota int    // megabytes
}

// Data is what a template can ask a mailbox for.
type Data struct{ Address string }

// Mailbox is the handler.
type Mailbox struct{ API mail.API }

// New returns the function.
func New(api mail.API) *cfnresource.Dispatcher { return cfnresource.New(&Mailbox{api}) }

// Create makes a mailbox.
func (m *Mailbox) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	name := req.StableID()
	err := m.API.Open(ctx, name, req.Properties.Owner)
	if errors.Is(err, mail.ErrExists) {
		return Data{}, cfnresource.AlreadyExists(name) // made by an earlier delivery: Update finishes it
	}
	if err != nil {
		return Data{}, err
	}
	req.Created(name) // if anything fails from here on, it is deleted
	if err := m.API.SetQuota(ctx, name, req.Properties.Quota); err != nil {
		return Data{}, err
	}
	return Data{Address: name + "@example.com"}, nil
}

// Update changes a mailbox.
func (m *Mailbox) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return Data{Address: req.PhysicalID + "@example.com"}, m.API.SetQuota(ctx, req.PhysicalID, req.Properties.Quota)
}

// Delete removes a mailbox.
func (m *Mailbox) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	err := m.API.Close(ctx, req.PhysicalID)
	if errors.Is(err, mail.ErrNotFound) {
		return nil // gone already, or never made
	}
	return err
}
