package play_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in a Create that is to
// replace something.

// refusesReplacement refuses to create a replacement.
type refusesReplacement struct{ named }

func (h refusesReplacement) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if req.Replaces != "" {
		return data, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot be moved to another room")
	}
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "refusesReplacement",
	process: func(d *depot) simulate.Function { return process(refusesReplacement{named{d}}) },
	checks:  []string{"update-replaces"}, explored: "v0 v2",
})

// replacementFailsIfExists does not adopt a replacement that an earlier attempt
// made.
type replacementFailsIfExists struct{ named }

func (h replacementFailsIfExists) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if req.Replaces != "" && cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "replacementFailsIfExists",
	process: func(d *depot) simulate.Function { return process(replacementFailsIfExists{named{d}}) },
	checks: []string{
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0 v2/sibling-fails",
})

// reusesReplaced changes the box that is to be replaced, in place of making another.
type reusesReplaced struct{ named }

func (h reusesReplaced) Create(ctx context.Context, req *creation) (boxData, error) {
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
	name:    "reusesReplaced",
	process: func(d *depot) simulate.Function { return process(reusesReplaced{named{d}}) },
	checks:  []string{"update-replaces"}, explored: "v0 v2",
})

// deletesReplaced removes the box that the new one replaces.
type deletesReplaced struct{ named }

func (h deletesReplaced) Create(ctx context.Context, req *creation) (boxData, error) {
	if req.Replaces != "" {
		if err := gone(h.d.remove(ctx, req.Replaces)); err != nil {
			return boxData{}, err
		}
	}
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "deletesReplaced",
	process: func(d *depot) simulate.Function { return process(deletesReplaced{named{d}}) },
	checks: []string{
		"replace-failed-then-rollback-keeps-first",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0 v2!out-of-time-after@1",
})

// namedByLogicalID gives a box and its replacement the same name.
type namedByLogicalID struct{ named }

func (h namedByLogicalID) Create(ctx context.Context, req *creation) (data boxData, err error) {
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
	name:    "namedByLogicalID",
	process: func(d *depot) simulate.Function { return process(namedByLogicalID{named{d}}) },
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
