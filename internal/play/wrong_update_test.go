package play_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Each type here is a right handler but for one fault, in Update.

// idle answers an Update and changes nothing.
type idle struct{ named }

func (h idle) Update(_ context.Context, req *updating) (boxData, error) {
	return req.Properties.data(), nil
}

// differ changes what differs between the old properties and the new ones, and
// nothing if they are the same.
type differ struct{ named }

func (h differ) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.OldPropertiesErr == nil && req.OldProperties.filling() == req.Properties.filling() {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

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

// unfinished does not finish what an earlier Create began.
type unfinished struct{ named }

func (h unfinished) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Adopted {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

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

// demanding needs old properties that can be read.
type demanding struct{ named }

func (h demanding) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := req.OldPropertiesErr; err != nil && !req.Adopted {
		return data, err
	}
	return h.named.Update(ctx, req)
}

// unadopting needs old properties, also of what it adopts.
type unadopting struct{ named }

func (h unadopting) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.Adopted {
		return data, req.OldPropertiesErr
	}
	return h.named.Update(ctx, req)
}

// growing makes boxes larger, never smaller.
type growing struct{ named }

func (h growing) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.Properties.Size < req.OldProperties.Size {
		return data, errors.New("a box cannot shrink")
	}
	return h.named.Update(ctx, req)
}

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

// renaming updates the box of the name that it would give today.
type renaming struct{ named }

func (h renaming) Update(ctx context.Context, req *updating) (boxData, error) {
	today := *req
	today.PhysicalID = req.StableID()
	return h.named.Update(ctx, &today)
}

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

// hopeful takes no notice that its box could not be changed.
type hopeful struct{ named }

func (h hopeful) Update(ctx context.Context, req *updating) (boxData, error) {
	data, _ := h.named.Update(ctx, req)
	return data, nil
}

// deafUpdate does not stop when its context ends.
type deafUpdate struct{ named }

func (h deafUpdate) Update(ctx context.Context, req *updating) (boxData, error) {
	return h.named.Update(context.WithoutCancel(ctx), req)
}

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
