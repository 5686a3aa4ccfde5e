// Package naive manages mailboxes, and looks right.
package naive

import (
	"context"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
)

// Props are a mailbox's properties.
type Props struct {
	Owner string
	Quota int // megabytes
}

// Data is what a template can ask a mailbox for.
type Data struct{ Address string }

// Mailbox is the handler.
type Mailbox struct{ API mail.API }

// New returns the function.
func New(api mail.API) *cfnresource.Dispatcher { return cfnresource.New(&Mailbox{api}) }

// Create makes a mailbox.
func (m *Mailbox) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	name := "mailbox-" + req.Properties.Owner
	if err := m.API.Open(ctx, name, req.Properties.Owner); err != nil {
		return Data{}, err
	}
	if err := m.API.SetQuota(ctx, name, req.Properties.Quota); err != nil {
		return Data{}, err
	}
	req.Created(name)
	return Data{Address: name + "@example.com"}, nil
}

// Update changes a mailbox.
func (m *Mailbox) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	if req.Properties.Quota == req.OldProperties.Quota {
		return Data{}, nil
	}
	return Data{}, m.API.SetQuota(ctx, req.PhysicalID, req.Properties.Quota)
}

// Delete removes a mailbox.
func (m *Mailbox) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return m.API.Close(ctx, req.PhysicalID)
}
