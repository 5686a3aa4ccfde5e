package play_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
)

// Each type here is a right handler but for one fault, in Update.

// idle answers an Update and changes nothing.
type idle struct{ named }

func (h idle) Update(_ context.Context, req *updating) (boxData, error) {
	return req.Properties.data(), nil
}

var _ = wrong(wrongHandler{
	name:    "idle",
	process: func(d *depot) play.Function { return process(idle{named{d}}) },
	checks: []string{
		"update-keeps-id",
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
		"provider-upgrade-keeps-id",
	}, explored: "v0!die-at-step:2@1",
})

// differ changes what differs between the old properties and the new ones, and

// nothing if they are the same.
type differ struct{ named }

func (h differ) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.OldPropertiesErr == nil && req.OldProperties.filling() == req.Properties.filling() {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "differ",
	process: func(d *depot) play.Function { return process(differ{named{d}}) },
	checks: []string{
		"update-is-not-a-diff",
		"update-of-what-is-gone",
	}, explored: "v0 v1/kept!lose-answer@1 v0",
})

// adder adds the difference between the old properties and the new ones to

// what there is.
type adder struct{ named }

func (h adder) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.OldPropertiesErr != nil {
		return h.named.Update(ctx, req)
	}
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		f := req.Properties.filling()
		f.Size = b.filling.Size + f.Size - req.OldProperties.Size
		if f.Size < 0 || f.Size > 99 {
			return errTooBig
		}
		b.filling = f
		return nil
	})
	return req.Properties.data(), err
}

var _ = wrong(wrongHandler{
	name:    "adder",
	process: func(d *depot) play.Function { return process(adder{named{d}}) },
	checks: []string{
		"update-redelivered",
		"update-died-half-way-is-finished",
		"update-failed-then-rollback",
		"update-is-not-a-diff",
	}, explored: "v0 refused",
})

// unfinished does not finish what an earlier Create began.
type unfinished struct{ named }

func (h unfinished) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Adopted {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "unfinished",
	process: func(d *depot) play.Function { return process(unfinished{named{d}}) },
	checks: []string{
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
	}, explored: "v0!die-at-step:2@1",
})

// halfway changes one property and then the other, and takes the first for a

// sign of both.
type halfway struct{ named }

func (h halfway) Update(ctx context.Context, req *updating) (data boxData, err error) {
	p, done := req.Properties, false
	err = h.d.change(ctx, req.PhysicalID, func(b *box) error {
		done = b.filled && b.filling.Size == p.Size && req.OldPropertiesErr == nil && req.OldProperties.Size != p.Size
		b.filling.Size = p.Size
		return nil
	})
	if err == nil && !done {
		return h.named.Update(ctx, req)
	}
	return p.data(), err
}

var _ = wrong(wrongHandler{
	name:    "halfway",
	process: func(d *depot) play.Function { return process(halfway{named{d}}) },
	checks:  []string{"update-died-half-way-is-finished"}, explored: "v0 v1!die-at-step:2@1",
})

// demanding needs old properties that can be read.
type demanding struct{ named }

func (h demanding) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := req.OldPropertiesErr; err != nil && !req.Adopted {
		return data, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "demanding",
	process: func(d *depot) play.Function { return process(demanding{named{d}}) },
	checks:  []string{"update-old-undecodable"},
	why:     "all properties in a history can be read",
})

// unadopting needs old properties, also of what it adopts.
type unadopting struct{ named }

func (h unadopting) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.Adopted {
		return data, req.OldPropertiesErr
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "unadopting",
	process: func(d *depot) play.Function { return process(unadopting{named{d}}) },
	checks: []string{
		"create-redelivered-one-resource",
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0!undelivered@1",
})

// growing makes boxes larger, never smaller.
type growing struct{ named }

func (h growing) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.Properties.Size < req.OldProperties.Size {
		return data, errors.New("a box cannot shrink")
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "growing",
	process: func(d *depot) play.Function { return process(growing{named{d}}) },
	checks:  []string{"update-failed-then-rollback"}, explored: "v0 v1/sibling-fails",
})

// unchanging fails where there is nothing to change, as its service does.
type unchanging struct{ named }

func (h unchanging) Update(ctx context.Context, req *updating) (data boxData, err error) {
	same, err := h.d.find(ctx, func(name string, b *box) bool {
		return name == req.PhysicalID && b.filled && b.filling == req.Properties.filling()
	})
	if err == nil && same != "" {
		err = errNothing
	}
	if err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "unchanging",
	process: func(d *depot) play.Function { return process(unchanging{named{d}}) },
	checks: []string{
		"update-same-properties",
		"create-died-half-way-is-finished",
		"create-redelivered-one-resource",
		"replace-failed-then-rollback-keeps-first",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
		"update-died-half-way-is-finished",
		"update-failed-then-rollback",
		"update-old-undecodable",
		"update-redelivered",
	}, explored: "v0!undelivered@1",
})

// swapping makes another box in the place of the one that is to change.
type swapping struct{ found }

func (h swapping) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := gone(h.d.remove(ctx, req.PhysicalID)); err != nil {
		return data, err
	}
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
	if err == nil {
		err = h.d.fill(ctx, id, req.Properties.filling())
	}
	return req.Properties.data(), err
}

var _ = wrong(wrongHandler{
	name:    "swapping",
	process: func(d *depot) play.Function { return process(swapping{found{d}}) },
	checks: []string{
		"update-keeps-id",
		"create-died-half-way-is-finished",
		"create-redelivered-one-resource",
		"provider-upgrade-keeps-id",
		"replace-failed-nothing-left",
		"replace-failed-then-rollback-keeps-first",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
		"update-same-properties",
	}, explored: "v0!redeliver@1",
})

// renaming updates the box of the name that it would give today.
type renaming struct{ named }

func (h renaming) Update(ctx context.Context, req *updating) (boxData, error) {
	today := *req
	today.PhysicalID = req.StableID()
	return h.named.Update(ctx, &today)
}

var _ = wrong(wrongHandler{
	name:    "renaming",
	process: func(d *depot) play.Function { return process(renaming{named{d}}) },
	checks:  []string{"provider-upgrade-keeps-id"},
	why:     "no resource in a history was made by another program",
})

// remaking makes what is missing under an ID that nobody learns of.
type remaking struct{ found }

func (h remaking) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		var id string
		id, err = h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
		if err == nil {
			err = h.d.fill(ctx, id, req.Properties.filling())
		}
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "remaking",
	process: func(d *depot) play.Function { return process(remaking{found{d}}) },
	checks: []string{
		"provider-upgrade-keeps-id",
		"update-of-what-is-gone",
	},
	why: "nobody removes anything by hand in a history",
})

// hopeful takes no notice that its box could not be changed.
type hopeful struct{ named }

func (h hopeful) Update(ctx context.Context, req *updating) (boxData, error) {
	data, _ := h.named.Update(ctx, req)
	return data, nil
}

var _ = wrong(wrongHandler{
	name:    "hopeful",
	process: func(d *depot) play.Function { return process(hopeful{named{d}}) },
	checks:  []string{"update-failed-then-rollback"}, explored: "refused!undelivered@1",
})

// deafUpdate does not stop when its context ends.
type deafUpdate struct{ named }

func (h deafUpdate) Update(ctx context.Context, req *updating) (boxData, error) {
	return h.named.Update(context.WithoutCancel(ctx), req)
}

var _ = wrong(wrongHandler{
	name:    "deafUpdate",
	process: func(d *depot) play.Function { return process(deafUpdate{named{d}}) },
	checks:  []string{"context-ends-handler-returns"}, explored: "v0 v1!hang-at-step:1@1",
})

// limitedProps have a property that may be left out.
type limitedProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen bool
	Limit  *int `json:",omitempty"`
}

func (p limitedProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

// panicking goes by a pointer in the old properties, which is nil where they

// are not known.
type panicking struct{ namedOf[limitedProps] }

func (h panicking) Update(ctx context.Context, req *cfnresource.UpdateRequest[limitedProps]) (boxData, error) {
	was := *req.OldProperties.Limit
	data, err := h.namedOf.Update(ctx, req)
	if err != nil {
		err = fmt.Errorf("the limit was %d: %w", was, err)
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "panicking",
	process: func(d *depot) play.Function { return process(panicking{namedOf[limitedProps]{d}}) },
	adapt: func(c *play.Contract) {
		limit := 7
		c.Properties = limitedProps{Room: "hall", Size: 10, Frozen: true, Limit: &limit}
		c.InPlace = limitedProps{Room: "hall", Size: 60, Limit: &limit}
		c.Replacing = limitedProps{Room: "cellar", Size: 10, Frozen: true, Limit: &limit}
		c.Refused = limitedProps{Room: "hall", Size: 100, Limit: &limit}
	},
	checks: []string{
		"update-old-undecodable",
		"create-died-half-way-is-finished",
		"create-redelivered-one-resource",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0!undelivered@1",
})

// locking leaves its lock behind when the process dies, and respects that of

// an earlier process.
type locking struct{ named }

func (h locking) lock(ctx context.Context, id string) (unlock func() error, err error) {
	err = h.d.change(ctx, id, func(b *box) error {
		if b.locked {
			return errLocked
		}
		b.locked = true
		return nil
	})
	return func() error {
		return h.d.change(ctx, id, func(b *box) error { b.locked = false; return nil })
	}, err
}

func (h locking) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room, locked: true})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	err = h.d.fill(ctx, id, req.Properties.filling())
	unlock := h.d.change(ctx, id, func(b *box) error { b.locked = false; return nil })
	return req.Properties.data(), errors.Join(err, unlock)
}

func (h locking) Update(ctx context.Context, req *updating) (data boxData, err error) {
	unlock, err := h.lock(ctx, req.PhysicalID)
	if err != nil && !errors.Is(err, errNoBox) {
		return data, err
	}
	data, err = h.named.Update(ctx, req)
	return data, errors.Join(err, unlock())
}

var _ = wrong(wrongHandler{
	name:    "locking",
	process: func(d *depot) play.Function { return process(locking{named{d}}) },
	checks: []string{
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
		"update-died-half-way-is-finished",
		"update-failed-then-rollback",
	}, explored: "v0!die-at-step:2@1",
})

// unconcerned takes a box that is gone for one that is as it should be.
type unconcerned struct{ found }

func (h unconcerned) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		err = nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "unconcerned",
	process: func(d *depot) play.Function { return process(unconcerned{found{d}}) },
	checks:  []string{"update-of-what-is-gone"},
	why:     "nobody removes anything by hand in a history",
})

// sizing fills a box anew only if its size changes.
type sizing struct{ named }

func (h sizing) Update(ctx context.Context, req *updating) (boxData, error) {
	same, err := h.d.find(ctx, func(name string, b *box) bool {
		return name == req.PhysicalID && b.filled && b.filling.Size == req.Properties.Size
	})
	if err != nil || same != "" {
		return req.Properties.data(), err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "sizing",
	process: func(d *depot) play.Function { return process(sizing{named{d}}) },
	checks:  []string{"update-each-property"},
	why:     "a history changes all properties at once",
})

// rebuilding removes a box and makes it again.
type rebuilding struct{ named }

func (h rebuilding) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := gone(h.d.remove(ctx, req.PhysicalID)); err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "rebuilding",
	process: func(d *depot) play.Function { return process(rebuilding{named{d}}) },
	checks: []string{
		"update-keeps-id",
		"replace-then-rollback-returns-to-first",
	},
	why: "a history looks when an operation has ended",
})

// modern updates a box of the name that it would give today, if there is one.
type modern struct{ named }

func (h modern) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.fill(ctx, req.StableID(), req.Properties.filling())
	return req.Properties.data(), gone(err)
}

var _ = wrong(wrongHandler{
	name:    "modern",
	process: func(d *depot) play.Function { return process(modern{named{d}}) },
	checks:  []string{"provider-upgrade-keeps-id", "update-of-what-is-gone"},
	why:     "no resource in a history was made by another program",
})
