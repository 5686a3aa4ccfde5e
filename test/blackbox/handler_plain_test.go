package blackbox_test

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

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
