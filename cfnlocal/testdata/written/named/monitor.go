package main

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A Monitor manages resources of the type Custom::Monitor. Each is named by its StableID.
type Monitor struct{ service Service }

func (h *Monitor) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID()
	data, err := h.service.Create(ctx, id, req.Properties)
	if errors.Is(err, ErrExists) {
		return Data{}, cfnresource.AlreadyExists(id) // an earlier delivery's: Update finishes it
	}
	if err == nil {
		req.Created(id) // if the Create fails from here on, it is deleted
	}
	return data, err
}

func (h *Monitor) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return h.service.Put(ctx, req.PhysicalID, req.Properties)
}

func (h *Monitor) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return h.service.Delete(ctx, req.PhysicalID)
}
