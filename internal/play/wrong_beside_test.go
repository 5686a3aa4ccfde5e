package play_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
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

var _ = wrong(wrongHandler{
	name:    "updatesOwnName",
	process: func(d *depot) simulate.Function { return process(updatesOwnName{named{d}}) },
	checks:  []string{"provider-upgrade-keeps-id"},
	why:     "no resource in a history was made by another program",
})

// marksAnew writes the mark of the properties that an Update is to.
type marksAnew struct{ found }

func (h marksAnew) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if err == nil {
		err = h.d.change(ctx, req.PhysicalID, func(b *box) error { b.tag = req.StableID(); return nil })
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "marksAnew",
	process: func(d *depot) simulate.Function { return process(marksAnew{found{d}}) },
	checks:  []string{"provider-upgrade-keeps-id"},
	why:     "no resource in a history was made by another program",
})

// adoptsUnmarked marks a box by a call of its own, and takes what bears no mark for what it
// has made before.
type adoptsUnmarked struct{ chosen }

func (h adoptsUnmarked) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
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

var _ = wrong(wrongHandler{
	name:    "adoptsUnmarked",
	process: func(d *depot) simulate.Function { return process(adoptsUnmarked{chosen{found{d}}}) },
	adapt: func(c *play.Contract) {
		inner := c.New
		c.New = func(t testing.TB) play.Service {
			s := inner(t)
			s.Occupy = nil // a stranger's bears no mark
			return s
		}
	},
	checks: []string{"stranger-holds-the-name"},
	why:    "no history has a second stack",
})
