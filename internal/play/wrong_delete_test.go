package play_test

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
)

// Each type here is a right handler but for one fault, in Delete.

// keeping removes nothing.
type keeping struct{ named }

func (h keeping) Delete(context.Context, *deletion) error { return nil }

var _ = wrong(wrongHandler{
	name:    "keeping",
	process: func(d *depot) play.Function { return process(keeping{named{d}}) },
	checks:  []string{"create-delete"}, explored: "v0",
})

// missing fails where there is nothing to remove.
type missing struct{ named }

func (h missing) Delete(ctx context.Context, req *deletion) error {
	return h.d.remove(ctx, req.PhysicalID)
}

var _ = wrong(wrongHandler{
	name:    "missing",
	process: func(d *depot) play.Function { return process(missing{named{d}}) },
	checks: []string{
		"delete-twice",
		"create-cancelled-while-running",
		"create-failed-nothing-left",
		"delete-died-half-way-is-finished",
		"delete-failed-is-told",
		"delete-lost-create",
		"delete-never-created",
		"delete-undecodable-properties",
	}, explored: "v0/cancelled",
})

// misjudging calls an ID that is not there an invalid one.
type misjudging struct{ found }

func (h misjudging) Delete(ctx context.Context, req *deletion) error {
	err := h.d.remove(ctx, req.PhysicalID)
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "%w", err)
	}
	return err
}

var _ = wrong(wrongHandler{
	name:    "misjudging",
	process: func(d *depot) play.Function { return process(misjudging{found{d}}) },
	checks: []string{
		"delete-twice",
		"delete-died-half-way-is-finished",
		"delete-failed-is-told",
	}, explored: "v0/sibling-fails!lose-answer@2",
})

// parsing takes an ID that is not of the depot's form for a fault of its own.
type parsing struct{ found }

func (h parsing) Delete(ctx context.Context, req *deletion) error {
	if !strings.HasPrefix(req.PhysicalID, "box-") {
		return cfnresource.Errorf(cfnresource.CodeInternalFailure, "the ID is malformed")
	}
	return h.found.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "parsing",
	process: func(d *depot) play.Function { return process(parsing{found{d}}) },
	checks: []string{
		"delete-never-created",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"delete-undecodable-properties",
		"create-failed-nothing-left",
	}, explored: "v0/cancelled",
})

// reading needs properties that can be read.
type reading struct{ named }

func (h reading) Delete(ctx context.Context, req *deletion) error {
	if req.PropertiesErr != nil {
		return req.PropertiesErr
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "reading",
	process: func(d *depot) play.Function { return process(reading{named{d}}) },
	checks:  []string{"delete-undecodable-properties"},
	why:     "all properties in a history can be read",
})

// byName removes what bears the name in the properties, not the ID.
type byName struct{ chosen }

func (h byName) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.Properties.Room))
}

var _ = wrong(wrongHandler{
	name:    "byName",
	process: func(d *depot) play.Function { return process(byName{chosen{found{d}}}) },
	checks: []string{
		"delete-undecodable-properties",
		"stranger-holds-the-name",
	},
	why: "the names and the properties of a history belong together",
})

// byStableID removes what bears the name that it would give today.
type byStableID struct{ named }

func (h byStableID) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.StableID()))
}

var _ = wrong(wrongHandler{
	name:    "byStableID",
	process: func(d *depot) play.Function { return process(byStableID{named{d}}) },
	checks:  []string{"delete-undecodable-properties"},
	why:     "the names and the properties of a history belong together",
})

// byOwner removes all that the resource has ever made, and with the box that

// was replaced the one that replaces it.
type byOwner struct{ named }

func (h byOwner) Delete(ctx context.Context, req *deletion) error {
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
	name:    "byOwner",
	process: func(d *depot) play.Function { return process(byOwner{named{d}}) },
	checks: []string{
		"delete-old-leaves-new",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0 v2",
})

// silent takes no notice that its box could not be removed.
type silent struct{ named }

func (h silent) Delete(ctx context.Context, req *deletion) error {
	_ = h.d.remove(ctx, req.PhysicalID)
	return nil
}

var _ = wrong(wrongHandler{
	name:    "silent",
	process: func(d *depot) play.Function { return process(silent{named{d}}) },
	checks:  []string{"delete-failed-is-told"}, explored: "v0/sibling-fails!fail-at-step:1@2",
})

// emptying empties the box before it removes it, and takes an empty box for

// one that is removed.
type emptying struct{ named }

func (h emptying) Delete(ctx context.Context, req *deletion) error {
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
	name:    "emptying",
	process: func(d *depot) play.Function { return process(emptying{named{d}}) },
	checks: []string{
		"delete-died-half-way-is-finished",
		"create-error-after-making",
		"create-failed-nothing-left",
		"create-out-of-time-nothing-left",
		"delete-failed-is-told",
		"replace-failed-nothing-left",
	}, explored: "refused",
})

// retiring removes boxes in a way that their names cannot be used again.
type retiring struct{ named }

func (h retiring) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.change(ctx, req.PhysicalID, func(b *box) error { b.retired = true; return nil }))
}

var _ = wrong(wrongHandler{
	name:    "retiring",
	process: func(d *depot) play.Function { return process(retiring{named{d}}) },
	checks:  []string{"recreate-after-delete"}, explored: "v0/kept!lose-answer@1 v0",
})

// forgetful removes only what its own process has made.
type forgetful struct {
	named

	made map[string]bool
}

func (h forgetful) Create(ctx context.Context, req *creation) (boxData, error) {
	h.made[req.StableID()] = true
	return h.named.Create(ctx, req)
}

func (h forgetful) Delete(ctx context.Context, req *deletion) error {
	if !h.made[req.PhysicalID] {
		return nil
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name: "forgetful",
	process: func(d *depot) play.Function {
		return process(forgetful{named: named{d}, made: make(map[string]bool)})
	},
	checks: []string{"create-delete"}, explored: "v0",
})

// deafDelete does not stop when its context ends.
type deafDelete struct{ named }

func (h deafDelete) Delete(ctx context.Context, req *deletion) error {
	return h.named.Delete(context.WithoutCancel(ctx), req)
}

var _ = wrong(wrongHandler{
	name:    "deafDelete",
	process: func(d *depot) play.Function { return process(deafDelete{named{d}}) },
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

// discarding keeps a box only if its properties say so: if they cannot be read,

// they do not.
type discarding struct{ namedOf[keepProps] }

func (h discarding) Delete(ctx context.Context, req *cfnresource.DeleteRequest[keepProps]) error {
	if req.Properties.Keep {
		return nil
	}
	return h.namedOf.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "discarding",
	process: func(d *depot) play.Function { return process(discarding{namedOf[keepProps]{d}}) },
	adapt: func(c *play.Contract) {
		c.Properties = keepProps{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = keepProps{Room: "hall", Size: 60, Keep: true}
		c.Replacing = keepProps{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = keepProps{Room: "hall", Size: 100}
	},
	checks: []string{"delete-undecodable-properties"},
	why:    "to Explore, what is kept is left behind",
})

// byPrefix removes all whose name begins with the ID.
type byPrefix struct{ named }

func (h byPrefix) Delete(ctx context.Context, req *deletion) error {
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
	name:    "byPrefix",
	process: func(d *depot) play.Function { return process(byPrefix{named{d}}) },
	checks:  []string{"delete-leaves-neighbours"},
	why:     "no history has a stranger",
})

// byStack removes all that the stack has.
type byStack struct{ named }

func (h byStack) Delete(ctx context.Context, req *deletion) error {
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
	name:    "byStack",
	process: func(d *depot) play.Function { return process(byStack{named{d}}) },
	checks: []string{
		"sibling-is-left-alone",
		"delete-old-leaves-new",
		"replace-then-rollback-returns-to-first",
	},
	why: "no history has a second resource",
})
