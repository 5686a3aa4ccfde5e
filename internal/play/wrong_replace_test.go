package play_test

import (
	"context"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Each type here is a right handler with one fault, in a Create that is to replace something.

// refusesReplacement refuses to create a replacement.
type refusesReplacement struct{ named }

func (h refusesReplacement) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if req.Replaces != "" {
		return data, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot be moved to another room")
	}
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) refusesReplacement { return refusesReplacement{named{d}} },
	explored("v0 v2"), "update-replaces")

// replacementFailsIfExists does not adopt a replacement that an earlier attempt made.
type replacementFailsIfExists struct{ named }

func (h replacementFailsIfExists) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if req.Replaces != "" && cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return data, err
}

var _ = wrong(func(d *depot) replacementFailsIfExists { return replacementFailsIfExists{named{d}} },
	explored("v0 v2/sibling-fails"),
	"replace-redelivered-one-resource",
	"replace-then-rollback-returns-to-first",
)

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

var _ = wrong(func(d *depot) reusesReplaced { return reusesReplaced{named{d}} },
	explored("v0 v2"), "update-replaces")

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

var _ = wrong(func(d *depot) deletesReplaced { return deletesReplaced{named{d}} },
	explored("v0 v2!out-of-time-after@1"),
	"replace-failed-then-rollback-keeps-first",
	"replace-then-rollback-returns-to-first",
)

// namedByLogicalID gives a box and its replacement the same name.
type namedByLogicalID struct{ named }

func (h namedByLogicalID) Create(ctx context.Context, req *creation) (boxData, error) {
	return h.create(ctx, req, req.StackID.StackName()+"-"+req.LogicalID)
}

var _ = wrong(func(d *depot) namedByLogicalID { return namedByLogicalID{named{d}} },
	explored("v0/cancelled"),
	"update-replaces",
	"create-cancelled-while-running",
	"create-died-half-way-is-finished",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"create-redelivered-one-resource",
	"delete-lost-create",
)
