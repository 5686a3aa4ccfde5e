package play_test

import (
	"context"
	"strings"
)

// Each type here takes one name for another that is much like it; but for the first,
// which is right.

// findsByStackID is a right handler: what it searches by are the stack and the logical ID.
type findsByStackID struct{ found }

func (h findsByStackID) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool { return b.owner == owner(req.Request) })
}

// findOf reads the box that the event is about before it searches.
func (h found) findOf(ctx context.Context, req *finding, mine func(*box) bool) (id string, err error) {
	fits := func(b *box) bool { return mine(b) && b.room == req.Properties.Room }
	if req.PhysicalID != "" {
		id, err = h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && fits(b) })
	}
	if id == "" && err == nil {
		id, err = h.d.find(ctx, func(_ string, b *box) bool { return fits(b) })
	}
	return id, err
}

// stackName returns the name in the ARN that begins a box's owner, or "".
func stackName(owner string) string {
	_, rest, _ := strings.Cut(owner, "/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// readsFirstPage looks for its box among the first of all.
type readsFirstPage struct{ found }

func (h readsFirstPage) Find(ctx context.Context, req *finding) (string, error) {
	read := 0
	return h.findOf(ctx, req, func(b *box) bool { read++; return read <= page && b.tag == req.StableID() })
}

var _ = wrong(func(d *depot) readsFirstPage { return readsFirstPage{found{d}} },
	unexplored("no history has so many boxes"), "delete-lost-create")

// findsByStackName finds what a stack of the same name made.
type findsByStackName struct{ found }

func (h findsByStackName) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool {
		return stackName(b.owner) == stackName(owner(req.Request)) && strings.HasSuffix(b.owner, req.LogicalID)
	})
}

var _ = wrong(func(d *depot) findsByStackName { return findsByStackName{found{d}} },
	unexplored("no history has a second stack"), "stranger-holds-the-name")

// findsByNamePrefix finds also what a stack of a longer name made.
type findsByNamePrefix struct{ found }

func (h findsByNamePrefix) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool {
		of, mine := b.owner, owner(req.Request)
		return of == mine || stackName(of) != stackName(mine) && strings.HasPrefix(stackName(of), stackName(mine)) && strings.HasSuffix(of, req.LogicalID)
	})
}

var _ = wrong(func(d *depot) findsByNamePrefix { return findsByNamePrefix{found{d}} },
	unexplored("no history has a second stack"), "stranger-holds-the-name")

// findsByPrefix finds also what a resource with a longer logical ID made.
type findsByPrefix struct{ found }

func (h findsByPrefix) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool { return strings.HasPrefix(b.owner, owner(req.Request)) })
}

var _ = wrong(func(d *depot) findsByPrefix { return findsByPrefix{found{d}} },
	unexplored("no history has a second resource"), "sibling-is-left-alone")

// deletesByOwnerPrefix deletes also what a resource with a longer logical ID made.
type deletesByOwnerPrefix struct{ named }

func (h deletesByOwnerPrefix) Delete(ctx context.Context, req *deletion) error {
	if err := h.named.Delete(ctx, req); err != nil {
		return err
	}
	also, err := h.d.find(ctx, func(_ string, b *box) bool { return strings.HasPrefix(b.owner, owner(req.Request)+"T") })
	if also == "" {
		return err
	}
	return gone(h.d.remove(ctx, also))
}

var _ = wrong(func(d *depot) deletesByOwnerPrefix { return deletesByOwnerPrefix{named{d}} },
	unexplored("no history has a second resource"), "sibling-is-left-alone")
