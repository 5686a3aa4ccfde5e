package blackbox_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// named calls its things by their StableID.
type named struct{ service store }

func (h named) Create(ctx context.Context, req *createRequest) (data Data, err error) {
	called("Create", req.Replaces)
	p, id := req.Properties, req.StableID()
	how := p.behaviour("Create")
	switch {
	case how == "exists" || p.Behave == "refuses-existing" && h.service.has(id):
		return data, cfnresource.AlreadyExists(id)
	case p.Behave == "refuses-existing":
		how = ""
	case how == "exists-elsewhere":
		return data, cfnresource.AlreadyExists("somebody-elses")
	}
	return create(ctx, req, how, func() error {
		if err := h.service.put(id, id); err != nil {
			return err
		}
		req.Created(id)
		return nil
	})
}

// create makes a thing, and goes wrong before that or after it.
func create(ctx context.Context, req *createRequest, how string, add func() error) (data Data, err error) {
	p := req.Properties
	if !p.Made {
		if data, err = behave(ctx, how, p.Password); err != nil {
			return data, err
		}
	}
	if err := add(); err != nil {
		return data, err
	}
	if p.Made {
		if data, err = behave(ctx, how, p.Password); err != nil {
			return data, err
		}
	}
	req.Created(returned(p.ReturnID))
	return data, nil
}

func (h named) Update(ctx context.Context, req *updateRequest) (Data, error) {
	called("Update", req.PhysicalID)
	return update(ctx, h.service, req)
}

func (h named) Delete(ctx context.Context, req *deleteRequest) error {
	called("Delete", req.PhysicalID)
	return remove(ctx, h.service, req)
}

// update brings the thing to what it should be, what is missing included.
func update(ctx context.Context, service store, req *updateRequest) (Data, error) {
	p, how := req.Properties, req.Properties.behaviour("Update")
	switch how {
	case "refuses-existing":
		how = ""
	case "old-secret":
		return nil, errors.New("the old password was " + req.OldProperties.Password)
	case "conflict":
		if n := service.count("update"); n < 3 {
			return nil, cfnresource.Errorf(cfnresource.CodeResourceConflict, "busy, for the time number %d", n)
		}
		return Data{"Echo": "done"}, nil
	case "not-updatable":
		return nil, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "the engine cannot be changed: make a new resource")
	case "identity":
		return Data{"IdentityChanged": req.IdentityChanged}, nil
	case "old":
		switch {
		case req.Adopted:
			return Data{"Old": "adopted"}, nil
		case req.OldPropertiesErr != nil:
			return Data{"Old": "unreadable", "OldName": req.OldProperties.Name}, nil
		}
		return Data{"Old": "read", "OldName": req.OldProperties.Name}, nil
	}
	data, err := behave(ctx, how, p.Password)
	if err == nil && !service.has(req.PhysicalID) && len(req.PhysicalID) < 200 {
		err = service.put(req.PhysicalID, req.StableID())
	}
	return data, err
}

// remove removes the thing.
func remove(ctx context.Context, service store, req *deleteRequest) error {
	p, how := req.Properties, req.Properties.behaviour("Delete")
	switch how {
	case "refuses-existing":
	case "invalid-request":
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "that is no ID of ours")
	case "conflict":
		if n := service.count("delete"); n < 3 {
			return cfnresource.Errorf(cfnresource.CodeThrottling, "slow down, for the time number %d", n)
		}
	case "not-found":
		return cfnresource.Errorf(cfnresource.CodeNotFound, "it is gone")
	case "not-found-in-part":
		return errors.Join(cfnresource.Errorf(cfnresource.CodeNotFound, "the rule is gone"), errors.New("the role is in use"))
	case "properties-error":
		if req.PropertiesErr == nil {
			return errors.New("PropertiesErr is nil")
		}
	default:
		if _, err := behave(ctx, how, p.Password); err != nil {
			return err
		}
	}
	err := service.remove(req.PhysicalID)
	if errors.Is(err, errNotFound) {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	if err != nil {
		return fmt.Errorf("the thing cannot be removed: %w", err)
	}
	return nil
}
