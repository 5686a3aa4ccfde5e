package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// plain has things whose names the service chooses, and cannot find them again.
type plain struct{ service store }

func (h plain) Create(ctx context.Context, req *createRequest) (Data, error) {
	called("Create", req.Replaces)
	return h.create(ctx, req, "")
}

func (h plain) create(ctx context.Context, req *createRequest, tag string) (Data, error) {
	how := req.Properties.behaviour("Create")
	if how == "exists-elsewhere" {
		return nil, cfnresource.AlreadyExists("somebody-elses")
	}
	return create(ctx, req, how, func() error {
		id, err := h.service.add(tag)
		if err != nil {
			return err
		}
		req.Created(id)
		if req.Properties.ReturnID == "beside-error" {
			return errors.New("it was made but does not start")
		}
		return nil
	})
}

func (h plain) Update(ctx context.Context, req *updateRequest) (Data, error) {
	called("Update", req.PhysicalID)
	return update(ctx, h.service, req)
}

func (h plain) Delete(ctx context.Context, req *deleteRequest) error {
	called("Delete", req.PhysicalID)
	return remove(ctx, h.service, req)
}

// found is plain, but tags its things and finds them by the tag.
type found struct{ plain }

func (h found) Create(ctx context.Context, req *createRequest) (Data, error) {
	called("Create", req.Replaces)
	return h.create(ctx, req, req.StableID())
}

func (h found) Find(_ context.Context, req *findRequest) (string, error) {
	if req.Properties.Behave == "find-error" {
		return "", errors.New("the service cannot list")
	}
	return h.service.find(req.StableID())
}

// returned is an ID that Create returns although the thing is called otherwise.
func returned(how string) string {
	switch how {
	case "long":
		return strings.Repeat("i", 2000)
	case "longest":
		return strings.Repeat("i", 1024)
	case "control":
		return "id\x1b[0m\n"
	case "utf8":
		return "id\xff"
	case "blank":
		return "  "
	case "marker":
		return "cfnresource:not-created"
	}
	return how
}

// vault answers with a secret attribute.
type vault struct{ service store }

// Key is what a vault's Fn::GetAtt reads.
type Key struct {
	Name     string
	Password string `cfn:"secret"`
}

func (h vault) Create(_ context.Context, req *createRequest) (key Key, err error) {
	called("Create", "")
	id := req.StableID()
	if err := h.service.put(id, id); err != nil {
		return key, err
	}
	req.Created(id)
	return Key{Name: "main", Password: req.Properties.Password}, nil
}

func (h vault) Update(_ context.Context, req *updateRequest) (key Key, err error) {
	called("Update", req.PhysicalID)
	return Key{Name: "main", Password: req.Properties.Password}, nil
}

func (h vault) Delete(ctx context.Context, req *deleteRequest) error {
	called("Delete", req.PhysicalID)
	return remove(ctx, h.service, req)
}

// badTag has properties that nobody can use.
type badTag struct{}

// BadProps has a tag that does not exist.
type BadProps struct {
	Name string `cfn:"createonly"`
}

func (badTag) Create(context.Context, *cfnresource.CreateRequest[BadProps]) (data Data, err error) {
	called("Create", "")
	return data, nil
}

func (badTag) Update(context.Context, *cfnresource.UpdateRequest[BadProps]) (data Data, err error) {
	called("Update", "")
	return data, nil
}

func (badTag) Delete(context.Context, *cfnresource.DeleteRequest[BadProps]) error {
	called("Delete", "")
	return nil
}

// pointer is a handler that is nil.
type pointer struct{ named }
