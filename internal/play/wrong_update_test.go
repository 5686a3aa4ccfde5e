package play_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in Update.

// updatesNothing answers an Update and changes nothing.
type updatesNothing struct{ named }

func (h updatesNothing) Update(_ context.Context, req *updating) (boxData, error) {
	return req.Properties.data(), nil
}

var _ = wrong(func(d *depot) updatesNothing { return updatesNothing{named{d}} },
	explored("v0!die-at-step:2@1"),
	"update-keeps-id",
	"create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
)

// updatesOnlyDifferences changes nothing if the old properties equal the new ones.
type updatesOnlyDifferences struct{ named }

func (h updatesOnlyDifferences) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.OldPropertiesErr == nil && req.OldProperties.filling() == req.Properties.filling() {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) updatesOnlyDifferences { return updatesOnlyDifferences{named{d}} },
	explored("v0 v1/kept!lose-answer@1 v0"),
	"update-is-not-a-diff",
	"update-of-what-is-gone",
)

// addsDifference adds the difference between the new and the old properties to what there is.
type addsDifference struct{ named }

func (h addsDifference) Update(ctx context.Context, req *updating) (boxData, error) {
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

var _ = wrong(func(d *depot) addsDifference { return addsDifference{named{d}} },
	explored("v0 refused"),
	"update-redelivered",
	"update-died-half-way-is-finished",
	"update-failed-then-rollback",
	"update-is-not-a-diff",
)

// adoptsUnfinished does not finish what an earlier Create began.
type adoptsUnfinished struct{ named }

func (h adoptsUnfinished) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Adopted {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) adoptsUnfinished { return adoptsUnfinished{named{d}} },
	explored("v0!die-at-step:2@1"),
	"create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
	"leads-where-create-does",
)

// skipsSecondChange changes one property and then the other. If the first is changed
// already, it skips the second.
type skipsSecondChange struct{ named }

func (h skipsSecondChange) Update(ctx context.Context, req *updating) (data boxData, err error) {
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

var _ = wrong(func(d *depot) skipsSecondChange { return skipsSecondChange{named{d}} },
	explored("v0 v1!die-at-step:2@1"), "update-died-half-way-is-finished")

// updateNeedsOldProperties fails if the old properties cannot be decoded.
type updateNeedsOldProperties struct{ named }

func (h updateNeedsOldProperties) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := req.OldPropertiesErr; err != nil && !req.Adopted {
		return data, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) updateNeedsOldProperties { return updateNeedsOldProperties{named{d}} },
	unexplored("all properties in a history can be read"), "update-old-undecodable")

// adoptionNeedsOldProperties needs old properties also for what it adopts, which has none.
type adoptionNeedsOldProperties struct{ named }

func (h adoptionNeedsOldProperties) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.Adopted {
		return data, req.OldPropertiesErr
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) adoptionNeedsOldProperties { return adoptionNeedsOldProperties{named{d}} },
	explored("v0!redeliver@1"),
	"create-redelivered-one-resource",
	"create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
	"replace-then-rollback-returns-to-first",
)

// cannotShrink enlarges boxes, and never makes them smaller.
type cannotShrink struct{ named }

func (h cannotShrink) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.Properties.Size < req.OldProperties.Size {
		return data, errors.New("a box cannot shrink")
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) cannotShrink { return cannotShrink{named{d}} },
	explored("v0 v1/sibling-fails"), "update-failed-then-rollback", "leads-where-create-does")

// failsIfUnchanged fails if there is nothing to change, as its service does.
type failsIfUnchanged struct{ named }

func (h failsIfUnchanged) Update(ctx context.Context, req *updating) (data boxData, err error) {
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

var _ = wrong(func(d *depot) failsIfUnchanged { return failsIfUnchanged{named{d}} },
	explored("v0!redeliver@1"),
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
	"leads-where-create-does",
)

// recreatesUnderNewID replaces the box that it has to change by another.
type recreatesUnderNewID struct{ found }

func (h recreatesUnderNewID) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := gone(h.d.remove(ctx, req.PhysicalID)); err != nil {
		return data, err
	}
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
	if err == nil {
		err = h.d.fill(ctx, id, req.Properties.filling())
	}
	return req.Properties.data(), err
}

var _ = wrong(func(d *depot) recreatesUnderNewID { return recreatesUnderNewID{found{d}} },
	explored("v0!redeliver@1"),
	"update-keeps-id",
	"create-died-half-way-is-finished",
	"create-redelivered-one-resource",
	"replace-failed-then-rollback-keeps-first",
	"replace-redelivered-one-resource",
	"replace-then-rollback-returns-to-first",
	"update-same-properties",
)

// updatesByStableID updates the box named by the StableID, not the one with the physical ID.
type updatesByStableID struct{ named }

func (h updatesByStableID) Update(ctx context.Context, req *updating) (boxData, error) {
	today := *req
	today.PhysicalID = req.StableID()
	return h.named.Update(ctx, &today)
}

var _ = wrong(func(d *depot) updatesByStableID { return updatesByStableID{named{d}} },
	unexplored("no resource in a history was made by another program"), "provider-upgrade-keeps-id")

// recreatesIfGone makes a missing box again under an ID that it does not return.
type recreatesIfGone struct{ found }

func (h recreatesIfGone) Update(ctx context.Context, req *updating) (boxData, error) {
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

var _ = wrong(func(d *depot) recreatesIfGone { return recreatesIfGone{found{d}} },
	unexplored("nobody removes anything by hand in a history"),
	"provider-upgrade-keeps-id",
	"update-of-what-is-gone",
)

// updateIgnoresErrors reports success though its box could not be changed.
type updateIgnoresErrors struct{ named }

func (h updateIgnoresErrors) Update(ctx context.Context, req *updating) (boxData, error) {
	data, _ := h.named.Update(ctx, req)
	return data, nil
}

var _ = wrong(func(d *depot) updateIgnoresErrors { return updateIgnoresErrors{named{d}} },
	explored("refused!undelivered@1"), "update-failed-then-rollback", "leads-where-create-does")

// updateIgnoresContext does not stop when its context ends.
type updateIgnoresContext struct{ named }

func (h updateIgnoresContext) Update(ctx context.Context, req *updating) (boxData, error) {
	return h.named.Update(context.WithoutCancel(ctx), req)
}

var _ = wrong(func(d *depot) updateIgnoresContext { return updateIgnoresContext{named{d}} },
	explored("v0 v1!hang-at-step:1@1"), "context-ends-handler-returns")

// limitedProps have a property that may be left out.
type limitedProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen bool
	Limit  *int `json:",omitempty"`
}

func (p limitedProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

// panicsWithoutOldProperties dereferences a pointer in the old properties, which is
// nil if they are not known.
type panicsWithoutOldProperties struct{ namedOf[limitedProps] }

func (h panicsWithoutOldProperties) Update(ctx context.Context, req *cfnresource.UpdateRequest[limitedProps]) (boxData, error) {
	was := *req.OldProperties.Limit
	data, err := h.namedOf.Update(ctx, req)
	if err != nil {
		err = fmt.Errorf("the limit was %d: %w", was, err)
	}
	return data, err
}

var _ = wrong(func(d *depot) panicsWithoutOldProperties { return panicsWithoutOldProperties{namedOf[limitedProps]{d}} },
	explored("v0!redeliver@1").with(propsOf(func(p boxProps) limitedProps {
		return limitedProps{p.Room, p.Size, p.Frozen, new(7)}
	})),
	"update-old-undecodable", "leads-where-create-does",
	"create-died-half-way-is-finished", "delete-lost-create",
	"create-redelivered-one-resource",
	"replace-redelivered-one-resource",
	"replace-then-rollback-returns-to-first",
)

// leavesLock leaves its lock behind when the process dies, and respects that of an earlier process.
type leavesLock struct{ named }

func (h leavesLock) lock(ctx context.Context, id string) (unlock func() error, err error) {
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

func (h leavesLock) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room, locked: true}); err != nil {
		return data, err
	}
	req.Created(id)
	err = h.d.fill(ctx, id, req.Properties.filling())
	unlock := h.d.change(ctx, id, func(b *box) error { b.locked = false; return nil })
	return req.Properties.data(), errors.Join(err, unlock)
}

func (h leavesLock) Update(ctx context.Context, req *updating) (data boxData, err error) {
	unlock, err := h.lock(ctx, req.PhysicalID)
	if err != nil && !errors.Is(err, errNoBox) {
		return data, err
	}
	data, err = h.named.Update(ctx, req)
	return data, errors.Join(err, unlock())
}

var _ = wrong(func(d *depot) leavesLock { return leavesLock{named{d}} },
	explored("v0!twice@1"),
	"create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
	"replace-then-rollback-returns-to-first",
	"update-died-half-way-is-finished",
	"update-failed-then-rollback",
)

// updateIgnoresGone reports success if its box is gone.
type updateIgnoresGone struct{ found }

func (h updateIgnoresGone) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		err = nil
	}
	return data, err
}

var _ = wrong(func(d *depot) updateIgnoresGone { return updateIgnoresGone{found{d}} },
	unexplored("nobody removes anything by hand in a history"), "update-of-what-is-gone")

// comparesOnlySize fills a box anew only if its size changes.
type comparesOnlySize struct{ named }

func (h comparesOnlySize) Update(ctx context.Context, req *updating) (boxData, error) {
	same, err := h.d.find(ctx, func(name string, b *box) bool {
		return name == req.PhysicalID && b.filled && b.filling.Size == req.Properties.Size
	})
	if err != nil || same != "" {
		return req.Properties.data(), err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) comparesOnlySize { return comparesOnlySize{named{d}} },
	unexplored("a history changes all properties at once"), "leads-where-create-does")

// keepsTheSize takes a size that is left out for one that stays as it was.
type keepsTheSize struct{ named }

func (h keepsTheSize) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Properties.Size == 0 {
		req.Properties.Size = req.OldProperties.Size
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) keepsTheSize { return keepsTheSize{named{d}} },
	unexplored("no history leaves a property out"), "leads-where-create-does")

// updatesByRecreating removes a box and makes it again.
type updatesByRecreating struct{ named }

func (h updatesByRecreating) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := gone(h.d.remove(ctx, req.PhysicalID)); err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) updatesByRecreating { return updatesByRecreating{named{d}} },
	explored("v0 v1!twice@1"),
	"replace-then-rollback-returns-to-first",
	"update-died-half-way-is-finished",
	"update-failed-then-rollback",
	"use-outlives-updates",
)

// updateByStableIDIgnoresGone updates the box named by the StableID, and reports
// success if there is none.
type updateByStableIDIgnoresGone struct{ named }

func (h updateByStableIDIgnoresGone) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.fill(ctx, req.StableID(), req.Properties.filling())
	return req.Properties.data(), gone(err)
}

var _ = wrong(func(d *depot) updateByStableIDIgnoresGone { return updateByStableIDIgnoresGone{named{d}} },
	unexplored("no resource in a history was made by another program"),
	"provider-upgrade-keeps-id",
	"update-of-what-is-gone",
)

// losesTheCode returns the service's errors without their codes.
type losesTheCode struct{ named }

func (h losesTheCode) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, errors.New("update of the box: " + err.Error())
	}
	return data, nil
}

var _ = wrong(func(d *depot) losesTheCode { return losesTheCode{named{d}} },
	explored("v0 v1!denied-at-first@1"), "throttled-is-tried-again", "denied-is-tried-again")

// remakesAnother makes a box that somebody has removed again, where it was, though the properties are by now those of a box elsewhere.
type remakesAnother struct{ chosen }

func (h remakesAnother) Update(ctx context.Context, req *updating) (boxData, error) {
	p := req.Properties
	data, err := h.chosen.Update(ctx, req)
	if errors.Is(err, errNoBox) {
		if err = h.d.build(ctx, req.PhysicalID, box{room: cmp.Or(req.OldProperties.Room, p.Room), tag: req.StableIDOf(req.PhysicalID), owner: owner(req.Request)}); err == nil {
			err = h.d.fill(ctx, req.PhysicalID, p.filling())
		}
	}
	return data, err
}

var _ = wrong(func(d *depot) remakesAnother { return remakesAnother{chosen{found{d}}} },
	unexplored("nobody removes anything by hand in a history"), "update-of-what-is-gone")

// remakesItsOwn is right: what has another identity it does not make again.
type remakesItsOwn struct{ remakesAnother }

func (h remakesItsOwn) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.IdentityChanged {
		return h.chosen.Update(ctx, req)
	}
	return h.remakesAnother.Update(ctx, req)
}

func TestAThingMayBeMadeAgainUnderItsID(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(remakesItsOwn{remakesAnother{chosen{found{d}}}}) })
	if failed := outcomes(play.RunChecks(t, c), "failed"); len(failed) > 0 {
		t.Errorf("%v fail", failed)
	}
}

// whereData says where a box is.
type whereData struct {
	Room string
	Key  string `cfn:"secret"`
}

// remakesElsewhere makes a box that somebody has removed again under the name of its room, though IdentityChanged says that it
// is to be in another one. If it goes by the properties, and not by the name, it makes the other box there, and is right.
type remakesElsewhere struct {
	chosen
	byProperties bool
}

func (h remakesElsewhere) Create(ctx context.Context, req *creation) (whereData, error) {
	data, err := h.chosen.Create(ctx, req)
	return whereData{req.Properties.Room, data.Key}, err
}

func (h remakesElsewhere) Update(ctx context.Context, req *updating) (whereData, error) {
	p, where := req.Properties, req.PhysicalID
	data, err := h.chosen.Update(ctx, req)
	if errors.Is(err, errNoBox) {
		if err = h.d.build(ctx, req.PhysicalID, box{room: p.Room, tag: req.StableIDOf(req.PhysicalID), owner: owner(req.Request)}); err == nil {
			err = h.d.fill(ctx, req.PhysicalID, p.filling())
		}
	}
	if h.byProperties {
		where = p.Room
	}
	return whereData{where, data.Key}, err
}

var _ = wrong(func(d *depot) remakesElsewhere { return remakesElsewhere{chosen: chosen{found{d}}} },
	unexplored("nobody removes anything by hand in a history"), "update-of-what-is-gone")

// Where State shows the other thing, Data may show that it is under the ID of the old one. That is not the fault of Data.
func TestWhatIsMadeUnderTheOldIDIsToldOfTheUpdate(t *testing.T) {
	for _, byProperties := range []bool{true, false} {
		c := depotContract(func(d *depot) simulate.Function { return process(remakesElsewhere{chosen{found{d}}, byProperties}) })
		text, _ := play.RunCheck(t, c, "update-of-what-is-gone")
		isTold := strings.Contains(text, "Update was called with IdentityChanged set, and made a thing under that ID") && strings.Contains(text, "If IdentityChanged is set, do not make it there")
		if isTold == byProperties || byProperties && text != "" {
			t.Errorf("of a handler that goes by the properties, %v: %s", byProperties, text)
		}
	}
}

// sealedProps have a pointer to nothing, and one to something: what counts is whether they are there.
type sealedProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Sealed *struct{}
	Seal   *struct{ Colour string }
}

func (p sealedProps) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Sealed != nil || p.Seal != nil}
}

// leavesUnsealed seals no box that there is.
type leavesUnsealed struct {
	namedOf[sealedProps]

	forgets func(p *sealedProps)
}

func (h leavesUnsealed) Update(ctx context.Context, req *cfnresource.UpdateRequest[sealedProps]) (boxData, error) {
	h.forgets(&req.Properties)
	return h.namedOf.Update(ctx, req)
}

// A pointer to a struct that the Contract leaves out is given as well.
func TestAnObjectThatIsLeftOutIsGiven(t *testing.T) {
	for says, forgets := range map[string]func(p *sealedProps){
		"":                 func(*sealedProps) {},
		"v0[Sealed=other]": func(p *sealedProps) { p.Sealed = nil },
		"v0[Seal=other]":   func(p *sealedProps) { p.Seal = nil },
	} {
		c := depotContract(func(d *depot) simulate.Function { return process(leavesUnsealed{namedOf[sealedProps]{d}, forgets}) })
		propsOf(func(p boxProps) sealedProps { return sealedProps{Room: p.Room, Size: p.Size} })(&c)
		r := play.RunChecks(t, c, "leads-where-create-does")[0]
		if (r.Outcome == "failed") != (says != "") || !strings.Contains(r.Text, says) {
			t.Errorf("of what loses %q it %s: %s", says, r.Outcome, r.Text)
		}
	}
}
