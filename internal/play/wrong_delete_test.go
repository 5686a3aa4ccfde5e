package play_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in Delete.

// deletesNothing removes nothing.
type deletesNothing struct{ named }

func (h deletesNothing) Delete(context.Context, *deletion) error { return nil }

var _ = wrong(func(d *depot) deletesNothing { return deletesNothing{named{d}} },
	explored("v0"), "create-delete")

// failsIfGone fails if there is nothing to remove.
type failsIfGone struct{ named }

func (h failsIfGone) Delete(ctx context.Context, req *deletion) error {
	return h.d.remove(ctx, req.PhysicalID)
}

var _ = wrong(func(d *depot) failsIfGone { return failsIfGone{named{d}} },
	explored("v0/cancelled"),
	"delete-twice",
	"create-cancelled-while-running",
	"create-failed-nothing-left",
	"delete-died-half-way-is-finished",
	"delete-failed-is-told",
	"delete-lost-create",
	"delete-never-created",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
)

// goneIsInvalidRequest answers InvalidRequest, not NotFound, if the box is gone.
type goneIsInvalidRequest struct{ found }

func (h goneIsInvalidRequest) Delete(ctx context.Context, req *deletion) error {
	err := h.d.remove(ctx, req.PhysicalID)
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "%w", err)
	}
	return err
}

var _ = wrong(func(d *depot) goneIsInvalidRequest { return goneIsInvalidRequest{found{d}} },
	explored("v0/sibling-fails!redeliver@2"),
	"delete-twice",
	"delete-died-half-way-is-finished",
	"delete-failed-is-told",
)

// malformedIDFails fails if an ID is not of the depot's form.
type malformedIDFails struct{ found }

func (h malformedIDFails) Delete(ctx context.Context, req *deletion) error {
	if !strings.HasPrefix(req.PhysicalID, "box-") {
		return cfnresource.Errorf(cfnresource.CodeInternalFailure, "the ID is malformed")
	}
	return h.found.Delete(ctx, req)
}

var _ = wrong(func(d *depot) malformedIDFails { return malformedIDFails{found{d}} },
	explored("v0/cancelled"),
	"delete-never-created",
	"create-cancelled-while-running",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"create-failed-nothing-left",
)

// deleteNeedsProperties fails if the properties cannot be decoded.
type deleteNeedsProperties struct{ named }

func (h deleteNeedsProperties) Delete(ctx context.Context, req *deletion) error {
	if req.PropertiesErr != nil {
		return req.PropertiesErr
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(func(d *depot) deleteNeedsProperties { return deleteNeedsProperties{named{d}} },
	unexplored("all properties in a history can be read"), "delete-undecodable-properties")

// deletesByName removes the box named in the properties, not the one with the physical ID.
type deletesByName struct{ chosen }

func (h deletesByName) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.Properties.Room))
}

var _ = wrong(func(d *depot) deletesByName { return deletesByName{chosen{found{d}}} },
	unexplored("the names and the properties of a history belong together"),
	"delete-undecodable-properties",
	"stranger-holds-the-name",
)

// deletesByStableID removes the box named by the StableID, not the one with the physical ID.
type deletesByStableID struct{ named }

func (h deletesByStableID) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.StableID()))
}

var _ = wrong(func(d *depot) deletesByStableID { return deletesByStableID{named{d}} },
	unexplored("the names and the properties of a history belong together"), "delete-undecodable-properties")

// removeAll removes all boxes that fit.
func (d *depot) removeAll(ctx context.Context, fits func(name string, b *box) bool) error {
	for {
		name, err := d.find(ctx, fits)
		if err != nil || name == "" {
			return err
		}
		if err := gone(d.remove(ctx, name)); err != nil {
			return err
		}
	}
}

// deletesByOwner removes all boxes of the resource: with a box that was replaced
// also its replacement.
type deletesByOwner struct{ named }

func (h deletesByOwner) Delete(ctx context.Context, req *deletion) error {
	return h.d.removeAll(ctx, func(_ string, b *box) bool { return b.owner == owner(req.Request) })
}

var _ = wrong(func(d *depot) deletesByOwner { return deletesByOwner{named{d}} },
	explored("v0 v2"),
	"delete-old-leaves-new",
	"replace-then-rollback-returns-to-first",
	"replace-failed-then-rollback-keeps-first",
)

// deleteIgnoresErrors reports success though its box could not be removed.
type deleteIgnoresErrors struct{ named }

func (h deleteIgnoresErrors) Delete(ctx context.Context, req *deletion) error {
	_ = h.d.remove(ctx, req.PhysicalID)
	return nil
}

var _ = wrong(func(d *depot) deleteIgnoresErrors { return deleteIgnoresErrors{named{d}} },
	explored("v0/sibling-fails!fail-at-step:1@2"), "delete-failed-is-told")

// emptyIsDeleted empties the box before it removes it, and assumes that an empty box was removed.
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

var _ = wrong(func(d *depot) emptyIsDeleted { return emptyIsDeleted{named{d}} },
	explored("refused"),
	"delete-died-half-way-is-finished",
	"create-error-after-making",
	"create-failed-nothing-left",
	"create-out-of-time-nothing-left",
	"delete-failed-is-told",
	"replace-failed-nothing-left",
)

// retiresNames removes boxes in such a way that their names cannot be used again.
type retiresNames struct{ named }

func (h retiresNames) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.change(ctx, req.PhysicalID, func(b *box) error { b.retired = true; return nil }))
}

var _ = wrong(func(d *depot) retiresNames { return retiresNames{named{d}} },
	explored("v0/kept!lose-answer@1 v0"), "recreate-after-delete", "update-replaces")

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

var _ = wrong(func(d *depot) deletesFromMemory {
	return deletesFromMemory{named: named{d}, made: make(map[string]bool)}
},
	explored("v0"), "create-delete")

// deleteIgnoresContext does not stop when its context ends.
type deleteIgnoresContext struct{ named }

func (h deleteIgnoresContext) Delete(ctx context.Context, req *deletion) error {
	return h.named.Delete(context.WithoutCancel(ctx), req)
}

var _ = wrong(func(d *depot) deleteIgnoresContext { return deleteIgnoresContext{named{d}} },
	explored("v0/sibling-fails!hang-at-step:1@2"), "context-ends-handler-returns")

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

var _ = wrong(func(d *depot) deletesIfUnreadable { return deletesIfUnreadable{namedOf[keepProps]{d}} },
	unexplored("to Explore, what is kept is left behind").with(propsOf(func(p boxProps) keepProps {
		return keepProps{p.Room, p.Size, p.Frozen, p.Size == 60} // what is updated in place is to be kept
	})),
	"delete-undecodable-properties")

// deletesByTag removes all boxes that bear the resource's tag.
type deletesByTag struct{ found }

func (h deletesByTag) Delete(ctx context.Context, req *deletion) error {
	if err := h.found.Delete(ctx, req); err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
		return err
	}
	return h.d.removeAll(ctx, func(_ string, b *box) bool { return b.tag == req.StableID() })
}

var _ = wrong(func(d *depot) deletesByTag { return deletesByTag{found{d}} },
	unexplored("no history delivers a Delete so late"), "delete-leaves-neighbours")

// deletesByPrefix removes all boxes whose name begins with the ID.
type deletesByPrefix struct{ named }

func (h deletesByPrefix) Delete(ctx context.Context, req *deletion) error {
	return h.d.removeAll(ctx, func(name string, _ *box) bool { return strings.HasPrefix(name, req.PhysicalID) })
}

var _ = wrong(func(d *depot) deletesByPrefix { return deletesByPrefix{named{d}} },
	unexplored("no history that Explore plays has a stranger"), "delete-leaves-neighbours")

// deletesByStack removes all boxes of the stack.
type deletesByStack struct{ named }

func (h deletesByStack) Delete(ctx context.Context, req *deletion) error {
	return h.d.removeAll(ctx, func(_ string, b *box) bool { return strings.HasPrefix(b.owner, string(req.StackID)) })
}

var _ = wrong(func(d *depot) deletesByStack { return deletesByStack{named{d}} },
	unexplored("the stack of a history that Explore plays has one resource"),
	"sibling-is-left-alone",
	"delete-old-leaves-new",
	"replace-then-rollback-returns-to-first",
	"replace-failed-then-rollback-keeps-first",
)

// leavesLid makes a lid for a large box, and its Delete leaves that.
type leavesLid struct{ named }

func (h leavesLid) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err == nil && req.Properties.Size > 50 {
		err = h.d.build(ctx, req.StableID()+"-lid", box{room: req.Properties.Room})
	}
	return data, err
}

var _ = wrong(func(d *depot) leavesLid { return leavesLid{named{d}} },
	explored("v1"), "update-keeps-id")

// inRoom is a handler whose IDs are those of rooms, and a name: "hall/my-stack-...". Unless it is exact, it deletes
// all that a room holds, too, and its Updates return the name that Create gives.
type inRoom struct {
	names map[string]int // their sizes
	exact bool
}

func (h inRoom) Create(_ context.Context, req *creation) (boxData, error) {
	id := "hall/" + req.StableID()
	h.names[id] = req.Properties.Size
	req.Created(id)
	return boxData{Key: req.StableID()}, nil
}

func (h inRoom) Update(_ context.Context, req *updating) (boxData, error) {
	h.names[req.PhysicalID] = req.Properties.Size
	if h.exact {
		return boxData{Key: strings.TrimPrefix(req.PhysicalID, "hall/")}, nil
	}
	return boxData{Key: req.StableID()}, nil
}

func (h inRoom) Delete(_ context.Context, req *deletion) error {
	maps.DeleteFunc(h.names, func(id string, _ int) bool {
		return id == req.PhysicalID || !h.exact && strings.HasPrefix(id, strings.TrimSuffix(req.PhysicalID, "/")+"/")
	})
	return nil
}

// A Delete of an ID with which others begin removes none of those, unless it is that of a thing that holds them.
func TestADeleteOfWhatIDsBeginWithRemovesNothing(t *testing.T) {
	for name, test := range map[string]struct{ exact, isThing, found bool }{
		"exact":   {exact: true},
		"a room":  {isThing: true},
		"no room": {found: true},
	} {
		c := play.Contract{Properties: boxProps{Room: "hall"}, New: func(testing.TB) play.Service {
			names := map[string]int{}
			return play.Service{
				Function: func() simulate.Function { return process(inRoom{names, test.exact}) },
				State: func(id string) any {
					if _, there := names[id]; there || test.isThing && strings.TrimSuffix(id, "/") == "hall" {
						return id
					}
					return nil
				},
			}
		}}
		text, _ := play.RunCheck(t, c, "delete-leaves-neighbours")
		if strings.Contains(text, "The Delete of hall changes or removes hall/my-stack-") != test.found || !test.found && text != "" {
			t.Errorf("%s: it says %q", name, text)
		}
	}
}

// The Data of a thing of before are of what there is: its name is a part of its ID.
func TestDataOfAThingOfBeforeAreItsOwn(t *testing.T) {
	for _, exact := range []bool{true, false} {
		c := play.Contract{Properties: boxProps{Room: "hall"}, InPlace: boxProps{Room: "hall", Size: 2}, New: func(testing.TB) play.Service {
			names := map[string]int{}
			return play.Service{
				Function: func() simulate.Function { return process(inRoom{names, exact}) },
				State: func(id string) any {
					if size, there := names[id]; there {
						return size
					}
					return nil
				},
				Before: func(props any) string {
					p, _ := props.(boxProps)
					names["hall/of-before"] = p.Size
					return "hall/of-before"
				},
			}
		}}
		text, _ := play.RunCheck(t, c, "thing-of-before")
		if strings.Contains(text, "Key in Data is of hall/my-stack-") == exact {
			t.Errorf("exact: %v, and it says %q", exact, text)
		}
	}
}

// busyIsDone takes a box that the depot was too busy to remove for removed.
type busyIsDone struct{ named }

func (h busyIsDone) Delete(ctx context.Context, req *deletion) error {
	if _, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID }); err != nil {
		return err
	}
	err := h.named.Delete(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeThrottling {
		return nil
	}
	return err
}

var _ = wrong(func(d *depot) busyIsDone { return busyIsDone{named{d}} },
	unexplored("Explore has no busy service"), "throttled-is-tried-again")

// dropProps say whether a box is dropped with its stack: what cannot be read keeps it.
type dropProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen bool
	Drop   bool
}

func (p dropProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

// dropsIfTold is right.
type dropsIfTold struct{ namedOf[dropProps] }

func (h dropsIfTold) Delete(ctx context.Context, req *cfnresource.DeleteRequest[dropProps]) error {
	if !req.Properties.Drop {
		return nil
	}
	return h.namedOf.Delete(ctx, req)
}

// keepsUnread keeps each box whose properties cannot be read, though none says so.
type keepsUnread struct{ named }

func (h keepsUnread) Delete(ctx context.Context, req *deletion) error {
	if req.PropertiesErr != nil {
		return nil
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(func(d *depot) keepsUnread { return keepsUnread{named{d}} },
	unexplored("all properties in a history can be read"), "delete-undecodable-properties")

// A flag whose zero keeps the thing keeps it also if the properties cannot be read, whether the kit may vary the flag or not.
func TestAFlagWhoseZeroKeepsIsRight(t *testing.T) {
	for _, fixed := range [][]string{nil, {"Drop"}} {
		c := depotContract(func(d *depot) simulate.Function { return process(dropsIfTold{namedOf[dropProps]{d}}) })
		propsOf(func(p boxProps) dropProps { return dropProps{p.Room, p.Size, p.Frozen, true} })(&c)
		c.Fixed = fixed
		if text, _ := play.RunCheck(t, c, "delete-undecodable-properties"); text != "" {
			t.Errorf("with the Fixed %v it says %q", fixed, text)
		}
	}
}
