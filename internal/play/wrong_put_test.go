package play_test

import (
	"context"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// putOnly is a right handler of a service that makes and changes by PUT, and does
// not say which of them it did. So its Create cannot call Created.
type putOnly struct{ d *depot }

func (h putOnly) Create(ctx context.Context, req *creation) (boxData, error) {
	return req.Properties.data(), h.put(ctx, req.StableID(), req.Request, req.Properties)
}

func (h putOnly) Update(ctx context.Context, req *updating) (boxData, error) {
	return req.Properties.data(), h.put(ctx, req.PhysicalID, req.Request, req.Properties)
}

func (h putOnly) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.PhysicalID))
}

func (h putOnly) put(ctx context.Context, id string, req cfnresource.Request, p boxProps) error {
	if p.Size > 99 {
		return errTooBig
	}
	return h.d.effect(ctx, func() error {
		h.d.boxes[id] = &box{room: p.Room, owner: owner(req), filled: true, filling: p.filling()}
		return nil
	})
}
