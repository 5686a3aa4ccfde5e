package play_test

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
)

// Each type here is a right handler with one fault, which shows where there are two things.

// updatesOwnName updates the box named by the StableID, if there is one.
type updatesOwnName struct{ named }

func (h updatesOwnName) Update(ctx context.Context, req *updating) (data boxData, err error) {
	id := req.StableID()
	if id == req.PhysicalID {
		return h.named.Update(ctx, req)
	}
	err = h.d.fill(ctx, id, req.Properties.filling())
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return req.Properties.data(), err
}

var _ = wrong(func(d *depot) updatesOwnName { return updatesOwnName{named{d}} },
	unexplored("no resource in a history was made by another program"), "provider-upgrade-keeps-id")

// marksAnew writes the mark of the properties that an Update is to.
type marksAnew struct{ found }

func (h marksAnew) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if err == nil {
		err = h.d.change(ctx, req.PhysicalID, func(b *box) error { b.tag = req.StableID(); return nil })
	}
	return data, err
}

var _ = wrong(func(d *depot) marksAnew { return marksAnew{found{d}} },
	unexplored("no resource in a history was made by another program"), "provider-upgrade-keeps-id")

// adoptsUnmarked marks a box by a call of its own, and takes what bears no mark for what it
// has made before.
type adoptsUnmarked struct{ chosen }

func (h adoptsUnmarked) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room}); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.fill(ctx, id, req.StableID(), req.Properties)
}

func (h adoptsUnmarked) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.fill(ctx, req.PhysicalID, req.StableID(), req.Properties)
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return req.Properties.data(), err
}

// fill marks a box that has no mark, and fills it.
func (h adoptsUnmarked) fill(ctx context.Context, id, mark string, p boxProps) error {
	err := h.d.change(ctx, id, func(b *box) error {
		if b.tag == "" {
			b.tag = mark
		}
		return nil
	})
	if err == nil {
		err = h.d.fill(ctx, id, p.filling())
	}
	return err
}

func (h adoptsUnmarked) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, b *box) bool {
		return name == req.Properties.Room && (b.tag == "" || b.tag == req.StableID())
	})
}

var _ = wrong(func(d *depot) adoptsUnmarked { return adoptsUnmarked{chosen{found{d}}} },
	unexplored("no history has a second stack").with(func(c *play.Contract) {
		*c = withService(*c, func(s *play.Service) { s.Occupy = nil }) // a stranger's bears no mark
	}),
	"stranger-holds-the-name")
