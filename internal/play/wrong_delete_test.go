package play_test

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in Delete.

// deletesNothing removes nothing.
type deletesNothing struct{ named }

func (h deletesNothing) Delete(context.Context, *deletion) error { return nil }

var _ = wrong(wrongHandler{
	name:    "deletesNothing",
	process: func(d *depot) simulate.Function { return process(deletesNothing{named{d}}) },
	checks:  []string{"create-delete"}, explored: "v0",
})

// failsIfGone fails if there is nothing to remove.
type failsIfGone struct{ named }

func (h failsIfGone) Delete(ctx context.Context, req *deletion) error {
	return h.d.remove(ctx, req.PhysicalID)
}

var _ = wrong(wrongHandler{
	name:    "failsIfGone",
	process: func(d *depot) simulate.Function { return process(failsIfGone{named{d}}) },
	checks: []string{
		"delete-twice",
		"create-cancelled-while-running",
		"create-failed-nothing-left",
		"create-refused-nothing-left",
		"delete-died-half-way-is-finished",
		"delete-failed-is-told",
		"delete-lost-create",
		"delete-never-created",
		"delete-undecodable-properties",
	}, explored: "v0/cancelled",
})

// goneIsInvalidRequest answers InvalidRequest, not NotFound, if the box is gone.
type goneIsInvalidRequest struct{ found }

func (h goneIsInvalidRequest) Delete(ctx context.Context, req *deletion) error {
	err := h.d.remove(ctx, req.PhysicalID)
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "%w", err)
	}
	return err
}

var _ = wrong(wrongHandler{
	name:    "goneIsInvalidRequest",
	process: func(d *depot) simulate.Function { return process(goneIsInvalidRequest{found{d}}) },
	checks: []string{
		"delete-twice",
		"delete-died-half-way-is-finished",
		"delete-failed-is-told",
	}, explored: "v0/sibling-fails!lose-answer@2",
})

// malformedIDFails fails if an ID is not of the depot's form.
type malformedIDFails struct{ found }

func (h malformedIDFails) Delete(ctx context.Context, req *deletion) error {
	if !strings.HasPrefix(req.PhysicalID, "box-") {
		return cfnresource.Errorf(cfnresource.CodeInternalFailure, "the ID is malformed")
	}
	return h.found.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "malformedIDFails",
	process: func(d *depot) simulate.Function { return process(malformedIDFails{found{d}}) },
	checks: []string{
		"delete-never-created",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"delete-undecodable-properties",
		"create-failed-nothing-left",
	}, explored: "v0/cancelled",
})

// deleteNeedsProperties fails if the properties cannot be decoded.
type deleteNeedsProperties struct{ named }

func (h deleteNeedsProperties) Delete(ctx context.Context, req *deletion) error {
	if req.PropertiesErr != nil {
		return req.PropertiesErr
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "deleteNeedsProperties",
	process: func(d *depot) simulate.Function { return process(deleteNeedsProperties{named{d}}) },
	checks:  []string{"delete-undecodable-properties"},
	why:     "all properties in a history can be read",
})

// deletesByName removes the box named in the properties, not the one with the
// physical ID.
type deletesByName struct{ chosen }

func (h deletesByName) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.Properties.Room))
}

var _ = wrong(wrongHandler{
	name:    "deletesByName",
	process: func(d *depot) simulate.Function { return process(deletesByName{chosen{found{d}}}) },
	checks: []string{
		"delete-undecodable-properties",
		"stranger-holds-the-name",
	},
	why: "the names and the properties of a history belong together",
})

// deletesByStableID removes the box named by the StableID, not the one with the
// physical ID.
type deletesByStableID struct{ named }

func (h deletesByStableID) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.StableID()))
}

var _ = wrong(wrongHandler{
	name:    "deletesByStableID",
	process: func(d *depot) simulate.Function { return process(deletesByStableID{named{d}}) },
	checks:  []string{"delete-undecodable-properties"},
	why:     "the names and the properties of a history belong together",
})

// deletesByOwner removes all boxes of the resource: with a box that was replaced
// also its replacement.
type deletesByOwner struct{ named }

func (h deletesByOwner) Delete(ctx context.Context, req *deletion) error {
	for {
		name, err := h.d.find(ctx, func(_ string, b *box) bool { return b.owner == owner(req.Request) })
		if err != nil || name == "" {
			return err
		}
		if err := gone(h.d.remove(ctx, name)); err != nil {
			return err
		}
	}
}

var _ = wrong(wrongHandler{
	name:    "deletesByOwner",
	process: func(d *depot) simulate.Function { return process(deletesByOwner{named{d}}) },
	checks: []string{
		"delete-old-leaves-new",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0 v2",
})

// deleteIgnoresErrors reports success though its box could not be removed.
type deleteIgnoresErrors struct{ named }

func (h deleteIgnoresErrors) Delete(ctx context.Context, req *deletion) error {
	_ = h.d.remove(ctx, req.PhysicalID)
	return nil
}

var _ = wrong(wrongHandler{
	name:    "deleteIgnoresErrors",
	process: func(d *depot) simulate.Function { return process(deleteIgnoresErrors{named{d}}) },
	checks:  []string{"delete-failed-is-told"}, explored: "v0/sibling-fails!fail-at-step:1@2",
})

// emptyIsDeleted empties the box before it removes it, and assumes that an empty box
// was removed.
type emptyIsDeleted struct{ named }

func (h emptyIsDeleted) Delete(ctx context.Context, req *deletion) error {
	empty := false
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		empty = !b.filled
		b.filled, b.filling = false, filling{}
		return nil
	})
	if err != nil || empty {
		return gone(err)
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "emptyIsDeleted",
	process: func(d *depot) simulate.Function { return process(emptyIsDeleted{named{d}}) },
	checks: []string{
		"delete-died-half-way-is-finished",
		"create-error-after-making",
		"create-failed-nothing-left",
		"create-out-of-time-nothing-left",
		"delete-failed-is-told",
		"replace-failed-nothing-left",
	}, explored: "refused",
})

// retiresNames removes boxes in such a way that their names cannot be used again.
type retiresNames struct{ named }

func (h retiresNames) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.change(ctx, req.PhysicalID, func(b *box) error { b.retired = true; return nil }))
}

var _ = wrong(wrongHandler{
	name:    "retiresNames",
	process: func(d *depot) simulate.Function { return process(retiresNames{named{d}}) },
	checks:  []string{"recreate-after-delete"}, explored: "v0/kept!lose-answer@1 v0",
})

// deletesFromMemory removes only what its own process has made.
type deletesFromMemory struct {
	named

	made map[string]bool
}

func (h deletesFromMemory) Create(ctx context.Context, req *creation) (boxData, error) {
	h.made[req.StableID()] = true
	return h.named.Create(ctx, req)
}

func (h deletesFromMemory) Delete(ctx context.Context, req *deletion) error {
	if !h.made[req.PhysicalID] {
		return nil
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name: "deletesFromMemory",
	process: func(d *depot) simulate.Function {
		return process(deletesFromMemory{named: named{d}, made: make(map[string]bool)})
	},
	checks: []string{"create-delete"}, explored: "v0",
})

// deleteIgnoresContext does not stop when its context ends.
type deleteIgnoresContext struct{ named }

func (h deleteIgnoresContext) Delete(ctx context.Context, req *deletion) error {
	return h.named.Delete(context.WithoutCancel(ctx), req)
}

var _ = wrong(wrongHandler{
	name:    "deleteIgnoresContext",
	process: func(d *depot) simulate.Function { return process(deleteIgnoresContext{named{d}}) },
	checks:  []string{"context-ends-handler-returns"}, explored: "v0/sibling-fails!hang-at-step:1@2",
})

// keepProps say whether the box is to be kept when its resource is deleted.
type keepProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen bool
	Keep   bool
}

func (p keepProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

// deletesIfUnreadable keeps a box only if its properties say so. If they cannot be
// decoded, it deletes the box.
type deletesIfUnreadable struct{ namedOf[keepProps] }

func (h deletesIfUnreadable) Delete(ctx context.Context, req *cfnresource.DeleteRequest[keepProps]) error {
	if req.Properties.Keep {
		return nil
	}
	return h.namedOf.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "deletesIfUnreadable",
	process: func(d *depot) simulate.Function { return process(deletesIfUnreadable{namedOf[keepProps]{d}}) },
	adapt: func(c *play.Contract) {
		c.Properties = keepProps{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = keepProps{Room: "hall", Size: 60, Keep: true}
		c.Replacing = keepProps{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = keepProps{Room: "hall", Size: 100}
	},
	checks: []string{"delete-undecodable-properties"},
	why:    "to Explore, what is kept is left behind",
})

// deletesByPrefix removes all boxes whose name begins with the ID.
type deletesByPrefix struct{ named }

func (h deletesByPrefix) Delete(ctx context.Context, req *deletion) error {
	for {
		name, err := h.d.find(ctx, func(name string, _ *box) bool { return strings.HasPrefix(name, req.PhysicalID) })
		if err != nil || name == "" {
			return err
		}
		if err := gone(h.d.remove(ctx, name)); err != nil {
			return err
		}
	}
}

var _ = wrong(wrongHandler{
	name:    "deletesByPrefix",
	process: func(d *depot) simulate.Function { return process(deletesByPrefix{named{d}}) },
	checks:  []string{"delete-leaves-neighbours"},
	why:     "no history has a stranger",
})

// deletesByStack removes all boxes of the stack.
type deletesByStack struct{ named }

func (h deletesByStack) Delete(ctx context.Context, req *deletion) error {
	for {
		name, err := h.d.find(ctx, func(_ string, b *box) bool { return strings.HasPrefix(b.owner, string(req.StackID)) })
		if err != nil || name == "" {
			return err
		}
		if err := gone(h.d.remove(ctx, name)); err != nil {
			return err
		}
	}
}

var _ = wrong(wrongHandler{
	name:    "deletesByStack",
	process: func(d *depot) simulate.Function { return process(deletesByStack{named{d}}) },
	checks: []string{
		"sibling-is-left-alone",
		"delete-old-leaves-new",
		"replace-then-rollback-returns-to-first",
	},
	why: "no history has a second resource",
})
