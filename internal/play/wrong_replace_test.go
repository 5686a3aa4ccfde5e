package play_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
)

// Each type here is a right handler but for one fault, in a Create that is to
// replace something.

// unreplaceable refuses to make what replaces something.
type unreplaceable struct{ named }

func (h unreplaceable) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if req.Replaces != "" {
		return data, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot be moved to another room")
	}
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "unreplaceable",
	process: func(d *depot) play.Function { return process(unreplaceable{named{d}}) },
	checks:  []string{"update-replaces"}, explored: "v0 v2",
})

// suspicious takes what it meets on the way to a replacement for a stranger's.
type suspicious struct{ named }

func (h suspicious) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if req.Replaces != "" && cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "suspicious",
	process: func(d *depot) play.Function { return process(suspicious{named{d}}) },
	checks: []string{
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0 v2/sibling-fails",
})

// reusing makes what replaces a box out of that box.
type reusing struct{ named }

func (h reusing) Create(ctx context.Context, req *creation) (boxData, error) {
	if req.Replaces == "" {
		return h.named.Create(ctx, req)
	}
	err := h.d.change(ctx, req.Replaces, func(b *box) error {
		b.room, b.filling = req.Properties.Room, req.Properties.filling()
		return nil
	})
	req.Created(req.Replaces)
	return req.Properties.data(), err
}

var _ = wrong(wrongHandler{
	name:    "reusing",
	process: func(d *depot) play.Function { return process(reusing{named{d}}) },
	checks:  []string{"update-replaces"}, explored: "v0 v2",
})

// evicting removes the box that its new one replaces.
type evicting struct{ named }

func (h evicting) Create(ctx context.Context, req *creation) (boxData, error) {
	if req.Replaces != "" {
		if err := gone(h.d.remove(ctx, req.Replaces)); err != nil {
			return boxData{}, err
		}
	}
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "evicting",
	process: func(d *depot) play.Function { return process(evicting{named{d}}) },
	checks: []string{
		"replace-failed-then-rollback-keeps-first",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0 v2!out-of-time-after@1",
})

// byLogicalID names its boxes by what is the same for a box and the one that

// replaces it.
type byLogicalID struct{ named }

func (h byLogicalID) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := fmt.Sprintf("%s-%s", req.StackID.StackName(), req.LogicalID)
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "byLogicalID",
	process: func(d *depot) play.Function { return process(byLogicalID{named{d}}) },
	checks: []string{
		"update-replaces",
		"create-cancelled-while-running",
		"create-died-half-way-is-finished",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"create-redelivered-one-resource",
		"delete-lost-create",
	}, explored: "v0/cancelled",
})
