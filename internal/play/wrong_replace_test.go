package play_test

import (
	"context"
	"strings"

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
	explored("v0 v2"),
	"delete-old-leaves-new",
	"replace-failed-then-rollback-keeps-first",
	"replace-then-rollback-returns-to-first",
)

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
	explored("v0 v2"),
	"replace-failed-then-rollback-keeps-first",
	"replace-then-rollback-returns-to-first",
	"delete-old-leaves-new",
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
	"stranger-holds-the-name",
)

// Each type here is a right handler with one fault, in Find.

// findsNothing finds nothing.
type findsNothing struct{ found }

func (h findsNothing) Find(context.Context, *finding) (string, error) { return "", nil }

var _ = wrong(func(d *depot) findsNothing { return findsNothing{found{d}} },
	explored("v0/cancelled"),
	"delete-lost-create",
	"create-cancelled-while-running",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"update-replaces",
)

// searchesFirst searches by the tag without a look at PhysicalID.
type searchesFirst struct{ found }

func (h searchesFirst) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.tag == req.StableID() })
}

var _ = wrong(func(d *depot) searchesFirst { return searchesFirst{found{d}} },
	unexplored("no history has a twin"), "find-reads-the-id-first")

// findsAny finds the first box, whosever it is.
type findsAny struct{ found }

func (h findsAny) Find(ctx context.Context, _ *finding) (string, error) {
	return h.d.find(ctx, func(string, *box) bool { return true })
}

var _ = wrong(func(d *depot) findsAny { return findsAny{found{d}} },
	explored("v0 v2"),
	"update-replaces",
	"stranger-holds-the-name",
	"sibling-is-left-alone",
	"among-others",
)

// findsByOwner finds the resource's first box, whatever its identity.
type findsByOwner struct{ found }

func (h findsByOwner) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool { return b.owner == owner(req.Request) })
}

var _ = wrong(func(d *depot) findsByOwner { return findsByOwner{found{d}} },
	explored("v0 v2"), "update-replaces")

// findsByName takes the name as proof.
type findsByName struct{ chosen }

func (h findsByName) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, _ *box) bool { return name == req.Properties.Room })
}

var _ = wrong(func(d *depot) findsByName { return findsByName{chosen{found{d}}} },
	unexplored("no history that Explore plays has a stranger"),
	"stranger-holds-the-name",
	"sibling-is-left-alone",
)

// failsIfNotFound fails if there is nothing to find.
type failsIfNotFound struct{ found }

func (h failsIfNotFound) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	if err == nil && id == "" {
		err = errNoBox
	}
	return id, err
}

var _ = wrong(func(d *depot) failsIfNotFound { return failsIfNotFound{found{d}} },
	explored("v0"),
	"create-delete",
)

// findNeedsProperties fails if the properties cannot be decoded, though the tag is enough.
type findNeedsProperties struct{ found }

func (h findNeedsProperties) Find(ctx context.Context, req *finding) (string, error) {
	if req.PropertiesErr != nil {
		return "", req.PropertiesErr
	}
	return h.found.Find(ctx, req)
}

var _ = wrong(func(d *depot) findNeedsProperties { return findNeedsProperties{found{d}} },
	unexplored("all properties in a history can be read"), "delete-undecodable-properties")

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

var _ = wrong(func(d *depot) findsFromMemory { return findsFromMemory{found: found{d}, made: make(map[string]string)} },
	explored("v0/cancelled"),
	"delete-lost-create",
	"recreate-after-delete",
	"create-cancelled-while-running",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"update-replaces",
	"warm-process-serves-several",
)

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

var _ = wrong(func(d *depot) cachesFind { return cachesFind{found: found{d}, seen: make(map[string]string)} },
	explored("v0/cancelled"),
	"create-cancelled-while-running",
	"warm-process-serves-several",
)

// tagsLast tags its boxes by a last call of its own: until then Find does not find them.
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

var _ = wrong(func(d *depot) tagsLast { return tagsLast{found{d}} },
	explored("v0!fail-at-step:4@1"),
	"create-error-after-making",
	"create-out-of-time-nothing-left",
)

// findsByStack finds a box with the stack's tag, of whichever resource.
type findsByStack struct{ found }

func (h findsByStack) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(_ string, b *box) bool {
		return strings.HasPrefix(b.owner, string(req.StackID)) && b.room == req.Properties.Room
	})
}

var _ = wrong(func(d *depot) findsByStack { return findsByStack{found{d}} },
	unexplored("the stack of a history that Explore plays has one resource"),
	"sibling-is-left-alone",
	"find-reads-the-id-first",
)

// putOnly is a right handler of a service that makes and changes by PUT, and does
// not say which of them it did. So its Create cannot call Created.
type putOnly struct{ d *depot }

func (h putOnly) Create(ctx context.Context, req *creation) (boxData, error) {
	return req.Properties.data(), h.put(ctx, req.StableID(), req.Request, req.Properties)
}

func (h putOnly) Update(ctx context.Context, req *updating) (boxData, error) {
	return req.Properties.data(), h.put(ctx, req.PhysicalID, req.Request, req.Properties)
}

func (h putOnly) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.PhysicalID))
}

func (h putOnly) put(ctx context.Context, id string, req cfnresource.Request, p boxProps) error {
	if p.Size > 99 {
		return errTooBig
	}
	return h.d.effect(ctx, func() error {
		b := box{room: p.Room, owner: owner(req), filled: true, filling: p.filling()}
		if there := h.d.boxes[id]; there != nil {
			b.content = there.content
		}
		h.d.boxes[id] = &b
		return nil
	})
}
