package mailbox

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mailbox"
)

// The steps between the naive handler and the last one. Each is the next one, and
// has one thing wrong besides.
type (
	Props = mailbox.Props
	Data  = mailbox.Data

	step2 struct{ step3 }
	step3 struct{ step4 }
	step4 struct{ step5 }
	step5 struct{ step6 }
	step6 struct{ mailbox.Mailbox }
)

// Create makes a mailbox.
func (m *step2) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	name := req.StableID()
	if err := m.API.Open(ctx, name, req.Properties.Owner); err != nil {
		return Data{}, err
	}
	if err := m.API.SetQuota(ctx, name, req.Properties.Quota); err != nil {
		return Data{}, err
	}
	req.Created(name)
	return Data{Address: name + "@example.com"}, nil
}

// Delete removes a mailbox.
func (m *step3) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return m.API.Close(ctx, req.PhysicalID)
}

// Update changes a mailbox.
func (m *step4) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	if req.Properties.Quota == req.OldProperties.Quota {
		return Data{}, nil
	}
	return Data{}, m.API.SetQuota(ctx, req.PhysicalID, req.Properties.Quota)
}

// Create makes a mailbox.
func (m *step5) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	name := req.StableID()
	err := m.API.Open(ctx, name, req.Properties.Owner)
	if errors.Is(err, mail.ErrExists) {
		return Data{}, cfnresource.AlreadyExists(name) // made by an earlier delivery: Update finishes it
	}
	if err != nil {
		return Data{}, err
	}
	if err := m.API.SetQuota(ctx, name, req.Properties.Quota); err != nil {
		return Data{}, err
	}
	req.Created(name)
	return Data{Address: name + "@example.com"}, nil
}

// Update changes a mailbox.
func (m *step6) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return Data{}, m.API.SetQuota(ctx, req.PhysicalID, req.Properties.Quota)
}
