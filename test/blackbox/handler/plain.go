package main

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

func (h plain) create(ctx context.Context, req *createRequest, tag string) (data Data, err error) {
	p, how := req.Properties, req.Properties.behaviour("Create")
	if how == "exists-elsewhere" {
		return data, cfnresource.AlreadyExists("somebody-elses")
	}
	if !p.Made {
		if data, err = behave(ctx, how, p.Password); err != nil {
			return data, err
		}
	}
	id, err := h.service.add(tag)
	if err != nil {
		return data, err
	}
	if p.ReturnID == "beside-error" {
		req.Created(id)
		return nil, errors.New("it was made but does not start")
	}
	req.Created(id)
	if p.Made {
		if data, err = behave(ctx, how, p.Password); err != nil {
			return data, err
		}
	}
	req.Created(returned(p.ReturnID))
	return data, nil
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
