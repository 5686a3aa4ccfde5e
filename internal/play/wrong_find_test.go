package play_test

import (
	"context"
	"strings"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in Find.

// findsNothing finds nothing.
type findsNothing struct{ found }

func (h findsNothing) Find(context.Context, *finding) (string, error) { return "", nil }

var _ = wrong(wrongHandler{
	name:    "findsNothing",
	process: func(d *depot) simulate.Function { return process(findsNothing{found{d}}) },
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// searchesFirst searches by the tag without a look at PhysicalID.
type searchesFirst struct{ found }

func (h searchesFirst) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.tag == req.StableID() })
}

var _ = wrong(wrongHandler{
	name:    "searchesFirst",
	process: func(d *depot) simulate.Function { return process(searchesFirst{found{d}}) },
	checks:  []string{"find-reads-the-id-first"},
	why:     "no history has a twin",
})

// findsAny finds the first box, whosever it is.
type findsAny struct{ found }

func (h findsAny) Find(ctx context.Context, _ *finding) (string, error) {
	return h.d.find(ctx, func(string, *box) bool { return true })
}

var _ = wrong(wrongHandler{
	name:    "findsAny",
	process: func(d *depot) simulate.Function { return process(findsAny{found{d}}) },
	checks: []string{
		"update-replaces",
		"stranger-holds-the-name",
		"sibling-is-left-alone",
		"delete-lost-create",
	}, explored: "v0 v2",
})

// findsByOwner finds the resource's first box, whatever its identity.
type findsByOwner struct{ found }

func (h findsByOwner) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.owner == owner(req.Request) })
}

var _ = wrong(wrongHandler{
	name:    "findsByOwner",
	process: func(d *depot) simulate.Function { return process(findsByOwner{found{d}}) },
	checks:  []string{"update-replaces"}, explored: "v0 v2",
})

// findsByName takes the name as proof.
type findsByName struct{ chosen }

func (h findsByName) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, _ *box) bool { return name == req.Properties.Room })
}

var _ = wrong(wrongHandler{
	name:    "findsByName",
	process: func(d *depot) simulate.Function { return process(findsByName{chosen{found{d}}}) },
	checks: []string{
		"stranger-holds-the-name",
		"sibling-is-left-alone",
	},
	why: "no history has a stranger",
})

// failsIfNotFound fails if there is nothing to find.
type failsIfNotFound struct{ found }

func (h failsIfNotFound) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	if err == nil && id == "" {
		err = errNoBox
	}
	return id, err
}

var _ = wrong(wrongHandler{
	name:    "failsIfNotFound",
	process: func(d *depot) simulate.Function { return process(failsIfNotFound{found{d}}) },
	checks: []string{
		"create-delete",
		"delete-never-created",
	}, explored: "v0",
})

// findNeedsProperties fails if the properties cannot be decoded, though the tag is
// enough.
type findNeedsProperties struct{ found }

func (h findNeedsProperties) Find(ctx context.Context, req *finding) (string, error) {
	if req.PropertiesErr != nil {
		return "", req.PropertiesErr
	}
	return h.found.Find(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "findNeedsProperties",
	process: func(d *depot) simulate.Function { return process(findNeedsProperties{found{d}}) },
	checks:  []string{"delete-undecodable-properties"},
	why:     "all properties in a history can be read",
})

// findsFromMemory finds only what its own process has made.
type findsFromMemory struct {
	found

	made map[string]string
}

func (h findsFromMemory) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.found.Create(ctx, req)
	h.made[req.StableID()] = req.CreatedID()
	return data, err
}

func (h findsFromMemory) Find(_ context.Context, req *finding) (string, error) {
	return h.made[req.StableID()], nil
}

var _ = wrong(wrongHandler{
	name: "findsFromMemory",
	process: func(d *depot) simulate.Function {
		return process(findsFromMemory{found: found{d}, made: make(map[string]string)})
	},
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
		"warm-process-serves-several",
	}, explored: "v0/cancelled",
})

// cachesFind searches once, and returns that result ever after.
type cachesFind struct {
	found

	seen map[string]string
}

func (h cachesFind) Find(ctx context.Context, req *finding) (string, error) {
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
	name: "cachesFind",
	process: func(d *depot) simulate.Function {
		return process(cachesFind{found: found{d}, seen: make(map[string]string)})
	},
	checks: []string{"create-cancelled-while-running", "warm-process-serves-several"}, explored: "v0/cancelled",
})

// tagsLast tags its boxes by a last call of its own: until then Find does not find
// them.
type tagsLast struct{ found }

func (h tagsLast) Create(ctx context.Context, req *creation) (data boxData, err error) {
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
	name:    "tagsLast",
	process: func(d *depot) simulate.Function { return process(tagsLast{found{d}}) },
	checks: []string{
		"create-error-after-making",
		"create-out-of-time-nothing-left",
	}, explored: "v0!fail-at-step:4@1",
})

// findsByStack finds a box with the stack's tag, of whichever resource.
type findsByStack struct{ found }

func (h findsByStack) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool {
		return strings.HasPrefix(b.owner, string(req.StackID)) && b.room == req.Properties.Room
	})
}

var _ = wrong(wrongHandler{
	name:    "findsByStack",
	process: func(d *depot) simulate.Function { return process(findsByStack{found{d}}) },
	checks: []string{
		"sibling-is-left-alone",
		"find-reads-the-id-first",
	},
	why: "no history has a second resource",
})
