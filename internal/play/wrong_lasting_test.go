package play_test

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// The first types here are right: they try again what passes. The others have one fault,
// which shows only when what they wait for never comes, or the service refuses for good.

// insist tries again whatever may pass, and gives each try five seconds.
func insist(ctx context.Context, do func(context.Context) error) error {
	for {
		err := within(ctx, 5*time.Second, do)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case err == errNoBox || err == errTooBig || cfnresource.CodeOf(err) == cfnresource.CodeAccessDenied:
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func within(ctx context.Context, d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return do(ctx)
}

// insisting is found that tries again.
type insisting struct{ found }

func (h insisting) assign(ctx context.Context, req *creation, tag string) (id string, err error) {
	err = insist(ctx, func(ctx context.Context) (err error) {
		id, err = h.d.assign(ctx, box{room: req.Properties.Room, tag: tag, owner: owner(req.Request), token: req.IdempotencyToken()})
		return err
	})
	return id, err
}

func (h insisting) fill(ctx context.Context, id string, p boxProps) error {
	return insist(ctx, func(ctx context.Context) error { return h.d.fill(ctx, id, p.filling()) })
}

func (h insisting) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.assign(ctx, req, req.StableID())
	if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.fill(ctx, id, req.Properties)
}

// tagsInAnotherCall tags its box after the call that makes it: if the reply to that is
// an error, nothing leads to the box.
type tagsInAnotherCall struct{ insisting }

func (h tagsInAnotherCall) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.assign(ctx, req, "")
	if err != nil {
		return data, err
	}
	req.Created(id)
	tag := func(ctx context.Context) error {
		return h.d.change(ctx, id, func(b *box) error { b.tag = req.StableID(); return nil })
	}
	if err := insist(ctx, tag); err != nil {
		return data, err
	}
	return req.Properties.data(), h.fill(ctx, id, req.Properties)
}

var _ = wrong(func(d *depot) tagsInAnotherCall { return tagsInAnotherCall{insisting{found{d}}} },
	explored("v0!refuse-from-step:4@1"), "create-refused-nothing-left")

// callsCreatedWhenFilled calls Created behind the last effect.
type callsCreatedWhenFilled struct{ insisting }

func (h callsCreatedWhenFilled) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.assign(ctx, req, req.StableID())
	if err != nil {
		return data, err
	}
	if err := h.fill(ctx, id, req.Properties); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), nil
}

var _ = wrong(func(d *depot) callsCreatedWhenFilled { return callsCreatedWhenFilled{insisting{found{d}}} },
	explored("v0 v2!refuse-from-step:9@1"), "replace-refused-nothing-left")

// callsCreatedWhenReady calls Created behind the wait, and before the last effect.
type callsCreatedWhenReady struct{ found }

func (h callsCreatedWhenReady) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := insisting(h).assign(ctx, req, req.StableID())
	if err != nil {
		return data, err
	}
	if err := h.d.awaitBox(ctx, id); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(func(d *depot) callsCreatedWhenReady { return callsCreatedWhenReady{found{d}} },
	explored("v0 v2!never-ready@1"), "replace-never-ready-nothing-left")

// callsCreatedWhenFinished calls Created behind the wait and the effect after it.
type callsCreatedWhenFinished struct{ insisting }

func (h callsCreatedWhenFinished) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.assign(ctx, req, req.StableID())
	if err != nil {
		return data, err
	}
	if err := h.d.awaitBox(ctx, id); err != nil {
		return data, err
	}
	if err := h.fill(ctx, id, req.Properties); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), nil
}

var _ = wrong(func(d *depot) callsCreatedWhenFinished { return callsCreatedWhenFinished{insisting{found{d}}} },
	explored("v0 v2!never-ready@1"),
	"replace-never-ready-nothing-left",
	"replace-refused-nothing-left",
)

// tiresInCreate takes a box for ready when it has waited long enough.
type tiresInCreate struct{ waiting }

func (h tiresInCreate) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.waiting.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized && req.Replaces == "" {
		err = nil
	}
	return data, err
}

var _ = wrong(func(d *depot) tiresInCreate { return tiresInCreate{waiting{named{d}}} },
	explored("v0!never-ready@1"), "create-never-ready-nothing-left")

// tiresInUpdate does so in Update.
type tiresInUpdate struct{ waiting }

func (h tiresInUpdate) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.waiting.Update(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized {
		err = nil
	}
	return data, err
}

var _ = wrong(func(d *depot) tiresInUpdate { return tiresInUpdate{waiting{named{d}}} },
	explored("v0 v1!never-ready@1"), "update-never-ready-then-rollback")

// leavesWhatItMayNot leaves a box as it is if it may not change it.
type leavesWhatItMayNot struct{ named }

func (h leavesWhatItMayNot) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAccessDenied {
		err = nil
	}
	return data, err
}

var _ = wrong(func(d *depot) leavesWhatItMayNot { return leavesWhatItMayNot{named{d}} },
	explored("v0 v1!denied-at-first@1"), "update-refused-then-rollback")

// removesByItself removes its box where the wait for it fails, in place of calling Created
// before: a service that refuses that as well leaves the box.
type removesByItself struct{ insisting }

func (h removesByItself) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.assign(ctx, req, req.StableID())
	if err != nil {
		return data, err
	}
	if err := h.d.awaitBox(ctx, id); err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = h.d.remove(ctx, id)
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.fill(ctx, id, req.Properties)
}

var _ = wrong(func(d *depot) removesByItself { return removesByItself{insisting{found{d}}} },
	explored("v0 v2!never-ready-refused@1"), "replace-never-ready-nothing-left")

type boxProps struct {
	Room     string `cfn:"createOnly,required"` // a box in another room is another box
	Size     int
	Frozen   bool
	Password string `cfn:"secret"`
}

func (p boxProps) box() boxProps { return p }

func (p boxProps) filling() filling { return filling{Size: p.Size, Frozen: p.Frozen} }

type boxData struct {
	Key string `cfn:"secret"` // opens the box
}

func (p boxProps) data() boxData { return boxData{Key: "key:" + p.Password} }

// The requests of the handlers.
type (
	creation   = cfnresource.CreateRequest[boxProps]
	updating   = cfnresource.UpdateRequest[boxProps]
	deletion   = cfnresource.DeleteRequest[boxProps]
	finding    = cfnresource.FindRequest[boxProps]
	anyHandler = cfnresource.Handler[boxProps, boxData]
)

// owner is the same for all that a resource of a stack has ever made.
func owner(req cfnresource.Request) string { return string(req.StackID) + req.LogicalID }

// process returns a process of the function that has h for its handler.
func process[H cfnresource.Handler[P, D], P, D any](h H) simulate.Function {
	return cfnresource.New(h, func(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) })
}

// namedOf is a right handler: its boxes bear their StableIDs.
type namedOf[P interface{ box() boxProps }] struct{ d *depot }

type named = namedOf[boxProps]

func (h namedOf[P]) Create(ctx context.Context, req *cfnresource.CreateRequest[P]) (boxData, error) {
	return h.create(ctx, req, req.StableID())
}

func (h namedOf[P]) create(ctx context.Context, req *cfnresource.CreateRequest[P], id string) (data boxData, err error) {
	p := req.Properties.box()
	if err := h.d.buildNew(ctx, id, box{room: p.Room, owner: owner(req.Request)}); err != nil {
		return data, err
	}
	req.Created(id)
	return p.data(), h.d.fill(ctx, id, p.filling())
}

// Update makes the box again if somebody removed it.
func (h namedOf[P]) Update(ctx context.Context, req *cfnresource.UpdateRequest[P]) (data boxData, err error) {
	p := req.Properties.box()
	err = h.d.fill(ctx, req.PhysicalID, p.filling())
	if errors.Is(err, errNoBox) {
		if err = h.d.build(ctx, req.PhysicalID, box{room: p.Room, owner: owner(req.Request)}); err == nil {
			err = h.d.fill(ctx, req.PhysicalID, p.filling())
		}
	}
	return p.data(), err
}

func (h namedOf[P]) Delete(ctx context.Context, req *cfnresource.DeleteRequest[P]) error {
	return gone(h.d.remove(ctx, req.PhysicalID))
}

// gone returns nil if the error says that there is no such box.
func gone(err error) error {
	if errors.Is(err, errNoBox) {
		return nil
	}
	return err
}

// found is a right handler: its boxes have IDs of the depot's, and are found by their tags.
type found struct{ d *depot }

func (h found) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), owner: owner(req.Request), token: req.IdempotencyToken()})
	if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h found) Update(ctx context.Context, req *updating) (data boxData, err error) {
	err = h.d.fill(ctx, req.PhysicalID, req.Properties.filling())
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return req.Properties.data(), err
}

func (h found) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, req.PhysicalID))
}

// Find reads the box that the event is about before it searches.
func (h found) Find(ctx context.Context, req *finding) (id string, err error) {
	if req.PhysicalID != "" {
		id, err = h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.tag == req.StableID() })
	}
	if id == "" && err == nil {
		id, err = h.d.find(ctx, func(_ string, b *box) bool { return b.tag == req.StableID() })
	}
	return id, err
}

// findsAlike finds only a box that is as its properties say.
type findsAlike struct{ found }

func (h findsAlike) Find(ctx context.Context, req *finding) (id string, err error) {
	if id, err = h.found.Find(ctx, req); id == "" || id == req.PhysicalID {
		return id, err
	}
	return h.d.find(ctx, func(name string, b *box) bool {
		return name == id && (b.filling == filling{} || b.filling == req.Properties.filling())
	})
}

var _ = wrong(func(d *depot) findsAlike { return findsAlike{found{d}} }, unexplored("no history changes a property alone"), "leads-where-create-does")

// chosen is a right handler: its boxes bear the names of their rooms, which the template chooses
// and which a stranger may have taken. The tag proves whose a box is.
type chosen struct{ found }

func (h chosen) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room, tag: req.StableIDOf(id), owner: owner(req.Request)}); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h chosen) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, b *box) bool { return name == req.Properties.Room && b.tag == req.StableIDOf(name) })
}

// Delete leaves a box with the mark of another resource: somebody may have removed this one's.
func (h chosen) Delete(ctx context.Context, req *deletion) error {
	others, err := h.d.find(ctx, func(name string, b *box) bool {
		return name == req.PhysicalID && b.tag != "" && b.tag != req.StableIDOf(name)
	})
	if others != "" || err != nil {
		return err
	}
	return h.found.Delete(ctx, req)
}

// deletesWhoeversBox deletes whatever box has the name by now.
type deletesWhoeversBox struct{ chosen }

func (h deletesWhoeversBox) Delete(ctx context.Context, req *deletion) error {
	return h.found.Delete(ctx, req)
}

var _ = wrong(func(d *depot) deletesWhoeversBox { return deletesWhoeversBox{chosen{found{d}}} },
	unexplored("no history that Explore plays has a stranger"), "stranger-holds-the-name")

// takesErrorsForReady waits until its box is filled, and no longer than the depot answers.
type takesErrorsForReady struct{ named }

func (h takesErrorsForReady) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (filled bool, err error) {
		err = h.d.effect(ctx, func() error { filled = h.d.boxes[req.PhysicalID].filled; return nil })
		return filled || err != nil, nil
	})
}

var _ = wrong(func(d *depot) takesErrorsForReady { return takesErrorsForReady{named{d}} },
	explored("v0 v1!fail-at-step:3@1"), "update-failed-then-rollback", "replace-then-rollback-returns-to-first")
