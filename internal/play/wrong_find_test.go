package play_test

import (
	"context"
)

// Each type here is a right handler but for one fault, in Find.

// blind finds nothing.
type blind struct{ found }

func (h blind) Find(context.Context, *finding) (string, error) { return "", nil }

// anyone finds the first box, whosever it is.
type anyone struct{ found }

func (h anyone) Find(ctx context.Context, _ *finding) (string, error) {
	return h.d.find(ctx, func(string, *box) bool { return true })
}

// sameOwner finds the resource's first box, whatever its identity.
type sameOwner struct{ found }

func (h sameOwner) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.owner == owner(req.Request) })
}

// proofless takes the name for a proof.
type proofless struct{ chosen }

func (h proofless) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, _ *box) bool { return name == req.Properties.Room })
}

// failing fails where there is nothing to find.
type failing struct{ found }

func (h failing) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	if err == nil && id == "" {
		err = errNoBox
	}
	return id, err
}

// strict needs properties that can be read, though the tag is enough.
type strict struct{ found }

func (h strict) Find(ctx context.Context, req *finding) (string, error) {
	if req.PropertiesErr != nil {
		return "", req.PropertiesErr
	}
	return h.found.Find(ctx, req)
}

// remembering finds what its own process has made.
type remembering struct {
	found

	made map[string]string
}

func (h remembering) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.found.Create(ctx, req)
	h.made[req.StableID()] = req.CreatedID()
	return data, err
}

func (h remembering) Find(_ context.Context, req *finding) (string, error) {
	return h.made[req.StableID()], nil
}

// caching looks once, and holds to what it saw.
type caching struct {
	found

	seen map[string]string
}

func (h caching) Find(ctx context.Context, req *finding) (string, error) {
	if id, ok := h.seen[req.StableID()]; ok {
		return id, nil
	}
	id, err := h.found.Find(ctx, req)
	if err == nil {
		h.seen[req.StableID()] = id
	}
	return id, err
}

// untagged makes boxes that Find cannot find.
type untagged struct{ found }

func (h untagged) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, token: req.IdempotencyToken()})
	if err != nil {
		return data, err
	}
	req.Created(id)
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	return req.Properties.data(), h.d.change(ctx, id, func(b *box) error {
		b.tag = req.StableID() // by a call of its own, when all else is done
		return nil
	})
}
