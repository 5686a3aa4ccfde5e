package play_test

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Each type here is of a function that continues. The first three are right; the
// others are right but for one fault.

// continuing returns a process of a function that continues.
func continuing[H cfnresource.Handler[P, D], P, D any](h H) play.Function {
	return cfnresource.New(h, func(o *cfnresource.Options) {
		o.Logger = slog.New(slog.DiscardHandler)
		o.Continue = func(context.Context, []byte) error { panic("there is no Lambda here") }
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			panic("there is no CloudFormation here")
		}
	})
}

// patiently makes it worth it to continue: Lambda ends a chain of 16 invocations.
func patiently(c *play.Contract) { c.Timeout = 5 * time.Minute }

// settle waits until a box can be used, as it can at once unless the test says
// otherwise.
func (d *depot) settle(ctx context.Context, name string) error {
	return d.await(ctx, func() bool { return d.boxes[name] != nil })
}

// await waits until what it looks at, under the lock, is so.
func (d *depot) await(ctx context.Context, ready func() bool) error {
	return cfnresource.Poll(ctx, 5*time.Second, func(context.Context) (bool, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return ready(), nil
	})
}

// settling waits in each method until its box can be used, or is gone.
type settling struct{ named }

func (h settling) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.settle(ctx, req.CreatedID())
}

func (h settling) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.settle(ctx, req.PhysicalID)
}

func (h settling) Delete(ctx context.Context, req *deletion) error {
	if err := h.named.Delete(ctx, req); err != nil {
		return err
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

// settlingFound does so with boxes that Find leads to.
type settlingFound struct{ found }

func (h settlingFound) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.found.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.settle(ctx, req.CreatedID())
}

func (h settlingFound) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.settle(ctx, req.PhysicalID)
}

// settlingPut does so with boxes that are made by PUT.
type settlingPut struct{ putting }

func (h settlingPut) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.putting.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.settle(ctx, req.StableID())
}

func (h settlingPut) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.putting.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.settle(ctx, req.PhysicalID)
}

// hiding does not return Poll's error.
type hiding struct{ settling }

func (h hiding) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.settling.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized {
		err = errors.New("the box is not settled yet")
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "hiding",
	process: func(d *depot) play.Function { return continuing(hiding{settling{named{d}}}) },
	adapt:   patiently,
	checks:  []string{"continue-goes-on"}, explored: "v0!slow@1",
})

// impatient waits in Create alone.
type impatient struct{ settling }

func (h impatient) Update(ctx context.Context, req *updating) (boxData, error) {
	return h.named.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "impatient",
	process: func(d *depot) play.Function { return continuing(impatient{settling{named{d}}}) },
	adapt:   patiently,
	checks:  []string{"continue-succeeds-when-ready"}, explored: "v0!slow@1",
})

// swallowing takes the end of its wait for the end of the settling.
type swallowing struct{ settling }

func (h swallowing) Delete(ctx context.Context, req *deletion) error {
	err := h.settling.Delete(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized {
		return nil
	}
	return err
}

var _ = wrong(wrongHandler{
	name:    "swallowing",
	process: func(d *depot) play.Function { return continuing(swallowing{settling{named{d}}}) },
	adapt:   patiently,
	checks:  []string{"continue-succeeds-when-ready"}, explored: "v0/sibling-fails!slow@2",
})

// restarting marks what it made when that is settled: before, nothing leads to it.
type restarting struct{ settlingFound }

func (h restarting) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, owner: owner(req.Request)})
	if err != nil {
		return data, err
	}
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	if err := h.d.settle(ctx, id); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.change(ctx, id, func(b *box) error { b.tag = req.StableID(); return nil })
}

var _ = wrong(wrongHandler{
	name:    "restarting",
	process: func(d *depot) play.Function { return continuing(restarting{settlingFound{found{d}}}) },
	adapt:   patiently,
	checks: []string{
		"continue-makes-one-resource",
		"continue-cancelled-nothing-left",
		"continue-failed-nothing-left",
		"continue-updates",
		"create-died-half-way-is-finished",
		"create-error-after-making",
		"create-failed-nothing-left",
		"create-out-of-time-nothing-left",
		"replace-failed-nothing-left",
		"replace-redelivered-one-resource",
	}, explored: "refused",
})

// unsaid calls Created when what it made is settled.
type unsaid struct{ settling }

func (h unsaid) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room, owner: owner(req.Request)})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	if err := h.d.settle(ctx, id); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), nil
}

var _ = wrong(wrongHandler{
	name:    "unsaid",
	process: func(d *depot) play.Function { return continuing(unsaid{settling{named{d}}}) },
	adapt:   patiently,
	checks: []string{
		"continue-cancelled-nothing-left",
		"continue-failed-nothing-left",
		"replace-failed-nothing-left",
	}, explored: "v0 v2!fail-at-step:3@1",
})

// remembered fills a box once it is settled, if its process knows that it has to.
type remembered struct {
	settling

	empty map[string]bool
}

func (h remembered) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room, owner: owner(req.Request)})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	h.empty[id] = true
	if err := h.d.settle(ctx, id); err != nil {
		return data, err
	}
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h remembered) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Adopted && !h.empty[req.PhysicalID] {
		return req.Properties.data(), h.d.settle(ctx, req.PhysicalID)
	}
	return h.settling.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name: "remembered",
	process: func(d *depot) play.Function {
		return continuing(remembered{settling{named{d}}, map[string]bool{}})
	},
	adapt: patiently,
	checks: []string{
		"continue-makes-one-resource",
		"continue-updates",
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
	}, explored: "v0!die-at-step:2@1",
})

// changing fails where there is nothing to change, as the second invocation of an
// Update finds it.
type changing struct{ settling }

func (h changing) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.filled && b.filling == req.Properties.filling() && !req.Adopted {
			return errNothing
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNoBox) {
		return boxData{}, err
	}
	return h.settling.Update(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "changing",
	process: func(d *depot) play.Function { return continuing(changing{settling{named{d}}}) },
	adapt:   patiently,
	checks: []string{
		"continue-updates",
		"continue-cancelled-nothing-left",
		"continue-failed-nothing-left",
		"replace-failed-then-rollback-keeps-first",
		"update-died-half-way-is-finished",
		"update-failed-then-rollback",
		"update-old-undecodable",
		"update-redelivered",
		"update-same-properties",
	}, explored: "v0 v2/cancelled",
})

// goneOnce fails where the box is gone, as the second invocation of a Delete
// finds it.
type goneOnce struct{ settling }

func (h goneOnce) Delete(ctx context.Context, req *deletion) error {
	if err := h.d.remove(ctx, req.PhysicalID); err != nil {
		return err
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

var _ = wrong(wrongHandler{
	name:    "goneOnce",
	process: func(d *depot) play.Function { return continuing(goneOnce{settling{named{d}}}) },
	adapt:   patiently,
	checks: []string{
		"continue-deletes",
		"continue-cancelled-nothing-left",
		"create-cancelled-while-running",
		"create-failed-nothing-left",
		"delete-died-half-way-is-finished",
		"delete-failed-is-told",
		"delete-lost-create",
		"delete-never-created",
		"delete-twice",
		"delete-undecodable-properties",
	}, explored: "v0/cancelled",
})
