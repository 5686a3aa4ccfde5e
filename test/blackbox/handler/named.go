package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/test/blackbox/internal/behave"
)

// named calls its things by their StableID.
type named struct{ service behave.Service }

func (h named) Create(ctx context.Context, req *createRequest) (data Data, err error) {
	behave.Called("Create", req.Replaces)
	p, id := req.Properties, req.StableID()
	how := p.behaviour("Create")
	switch {
	case how == "exists" || p.Behave == "refuses-existing" && h.service.Has(id):
		return data, cfnresource.AlreadyExists(id)
	case p.Behave == "refuses-existing":
		how = ""
	case how == "exists-elsewhere":
		return data, cfnresource.AlreadyExists("somebody-elses")
	}
	if !p.Made {
		if data, err = behave.Do(ctx, how, p.Password); err != nil {
			return data, err
		}
	}
	if err := h.service.Put(id, id); err != nil {
		return data, err
	}
	req.Created(id)
	if p.Made {
		if data, err = behave.Do(ctx, how, p.Password); err != nil {
			return data, err
		}
	}
	req.Created(returned(p.ReturnID))
	return data, nil
}

func (h named) Update(ctx context.Context, req *updateRequest) (Data, error) {
	behave.Called("Update", req.PhysicalID)
	return update(ctx, h.service, req)
}

func (h named) Delete(ctx context.Context, req *deleteRequest) error {
	behave.Called("Delete", req.PhysicalID)
	return remove(ctx, h.service, req)
}

// update brings the thing to what it should be, what is missing included.
func update(ctx context.Context, service behave.Service, req *updateRequest) (Data, error) {
	p, how := req.Properties, req.Properties.behaviour("Update")
	switch how {
	case "refuses-existing":
		how = ""
	case "old-secret":
		return nil, errors.New("the old password was " + req.OldProperties.Password)
	case "conflict":
		if n := service.Count("update"); n < 3 {
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
	data, err := behave.Do(ctx, how, p.Password)
	if err == nil && !service.Has(req.PhysicalID) && len(req.PhysicalID) < 200 {
		err = service.Put(req.PhysicalID, req.StableID())
	}
	return data, err
}

// remove removes the thing.
func remove(ctx context.Context, service behave.Service, req *deleteRequest) error {
	p, how := req.Properties, req.Properties.behaviour("Delete")
	switch how {
	case "refuses-existing":
	case "invalid-request":
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "that is no ID of ours")
	case "conflict":
		if n := service.Count("delete"); n < 3 {
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
		if _, err := behave.Do(ctx, how, p.Password); err != nil {
			return err
		}
	}
	err := service.Remove(req.PhysicalID)
	if errors.Is(err, behave.ErrNotFound) {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	if err != nil {
		return fmt.Errorf("the thing cannot be removed: %w", err)
	}
	return nil
}
