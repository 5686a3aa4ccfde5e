package main

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A Monitor manages resources of the type Custom::Monitor. The service gives each its ID.
type Monitor struct{ service Service }

func (h *Monitor) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (physicalID string, err error) {
	if req.PhysicalID != "" {
		if mark, err := h.service.Mark(ctx, req.PhysicalID); err != nil || mark == req.StableID() {
			return req.PhysicalID, err
		}
	}
	for at := ""; ; {
		ids, next, err := h.service.List(ctx, at)
		if err != nil {
			return "", err
		}
		for _, id := range ids {
			if mark, err := h.service.Mark(ctx, id); err != nil || mark == req.StableID() {
				return id, err
			}
		}
		if at = next; at == "" {
			return "", nil
		}
	}
}

func (h *Monitor) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id, data, err := h.service.Create(ctx, req.IdempotencyToken(), req.StableID(), req.Properties)
	if err == nil {
		req.Created(id) // if the Create fails from here on, it is deleted
	}
	return data, err
}

func (h *Monitor) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	data, err := h.service.Put(ctx, req.PhysicalID, req.Properties)
	if errors.Is(err, ErrNotFound) {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return data, err
}

func (h *Monitor) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return h.service.Delete(ctx, req.PhysicalID)
}
