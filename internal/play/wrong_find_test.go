package play_test

import (
	"context"
	"strings"

	"github.com/cfnresource/sdk-go/internal/play"
)

// Each type here is a right handler but for one fault, in Find.

// blind finds nothing.
type blind struct{ found }

func (h blind) Find(context.Context, *finding) (string, error) { return "", nil }

var _ = wrong(wrongHandler{
	name:    "blind",
	process: func(d *depot) play.Function { return process(blind{found{d}}) },
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// searching finds what bears the tag, whichever comes first.
type searching struct{ found }

func (h searching) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.tag == req.StableID() })
}

var _ = wrong(wrongHandler{
	name:    "searching",
	process: func(d *depot) play.Function { return process(searching{found{d}}) },
	checks:  []string{"find-reads-the-id-first"},
	why:     "no history has a twin",
})

// anyone finds the first box, whosever it is.
type anyone struct{ found }

func (h anyone) Find(ctx context.Context, _ *finding) (string, error) {
	return h.d.find(ctx, func(string, *box) bool { return true })
}

var _ = wrong(wrongHandler{
	name:    "anyone",
	process: func(d *depot) play.Function { return process(anyone{found{d}}) },
	checks: []string{
		"update-replaces",
		"stranger-holds-the-name",
		"sibling-is-left-alone",
	}, explored: "v0 v2",
})

// sameOwner finds the resource's first box, whatever its identity.
type sameOwner struct{ found }

func (h sameOwner) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.owner == owner(req.Request) })
}

var _ = wrong(wrongHandler{
	name:    "sameOwner",
	process: func(d *depot) play.Function { return process(sameOwner{found{d}}) },
	checks:  []string{"update-replaces"}, explored: "v0 v2",
})

// proofless takes the name for a proof.
type proofless struct{ chosen }

func (h proofless) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, _ *box) bool { return name == req.Properties.Room })
}

var _ = wrong(wrongHandler{
	name:    "proofless",
	process: func(d *depot) play.Function { return process(proofless{chosen{found{d}}}) },
	checks: []string{
		"stranger-holds-the-name",
		"sibling-is-left-alone",
	},
	why: "no history has a stranger",
})

// failing fails where there is nothing to find.
type failing struct{ found }

func (h failing) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	if err == nil && id == "" {
		err = errNoBox
	}
	return id, err
}

var _ = wrong(wrongHandler{
	name:    "failing",
	process: func(d *depot) play.Function { return process(failing{found{d}}) },
	checks: []string{
		"create-delete",
		"delete-never-created",
	}, explored: "v0",
})

// strict needs properties that can be read, though the tag is enough.
type strict struct{ found }

func (h strict) Find(ctx context.Context, req *finding) (string, error) {
	if req.PropertiesErr != nil {
		return "", req.PropertiesErr
	}
	return h.found.Find(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "strict",
	process: func(d *depot) play.Function { return process(strict{found{d}}) },
	checks:  []string{"delete-undecodable-properties"},
	why:     "all properties in a history can be read",
})

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

var _ = wrong(wrongHandler{
	name: "remembering",
	process: func(d *depot) play.Function {
		return process(remembering{found: found{d}, made: make(map[string]string)})
	},
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

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

var _ = wrong(wrongHandler{
	name: "caching",
	process: func(d *depot) play.Function {
		return process(caching{found: found{d}, seen: make(map[string]string)})
	},
	checks: []string{"create-cancelled-while-running"}, explored: "v0/cancelled",
})

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

var _ = wrong(wrongHandler{
	name:    "untagged",
	process: func(d *depot) play.Function { return process(untagged{found{d}}) },
	checks: []string{
		"create-error-after-making",
		"create-out-of-time-nothing-left",
	}, explored: "v0!fail-at-step:4@1",
})

// stackTagged finds what bears the stack's tag.
type stackTagged struct{ found }

func (h stackTagged) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool {
		return strings.HasPrefix(b.owner, string(req.StackID)) && b.room == req.Properties.Room
	})
}

var _ = wrong(wrongHandler{
	name:    "stackTagged",
	process: func(d *depot) play.Function { return process(stackTagged{found{d}}) },
	checks: []string{
		"sibling-is-left-alone",
		"find-reads-the-id-first",
	},
	why: "no history has a second resource",
})
