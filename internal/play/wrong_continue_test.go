package play_test

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Each type here is of a function that continues. The first three are right; the
// others have one fault.

// continuing returns a process of a function that continues.
func continuing[H cfnresource.Handler[P, D], P, D any](h H) simulate.Function {
	return cfnresource.New(h, func(o *cfnresource.Options) {
		o.Logger = slog.New(slog.DiscardHandler)
		o.Continue = func(context.Context, []byte) error { panic("there is no Lambda here") }
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			panic("there is no CloudFormation here")
		}
	})
}

// withLongTimeout gives each invocation so much time that a chain stays short: Lambda
// stops one of 16 invocations.
func withLongTimeout(c *play.Contract) { c.Timeout = 5 * time.Minute }

// awaitBox waits until a box is ready. It is so at once, unless a fault holds the Poll.
func (d *depot) awaitBox(ctx context.Context, name string) error {
	return d.await(ctx, func() bool { return d.boxes[name] != nil })
}

// await polls until ready, which is called under the lock, returns true.
func (d *depot) await(ctx context.Context, ready func() bool) error {
	return cfnresource.Poll(ctx, 5*time.Second, func(context.Context) (bool, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return ready(), nil
	})
}

// waiting waits in each method until its box is ready, or gone.
type waiting struct{ named }

func (h waiting) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.awaitBox(ctx, req.CreatedID())
}

func (h waiting) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.awaitBox(ctx, req.PhysicalID)
}

func (h waiting) Delete(ctx context.Context, req *deletion) error {
	if err := h.named.Delete(ctx, req); err != nil {
		return err
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

// waitingFound is waiting for boxes that Find looks up.
type waitingFound struct{ found }

func (h waitingFound) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.found.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.awaitBox(ctx, req.CreatedID())
}

func (h waitingFound) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.awaitBox(ctx, req.PhysicalID)
}

// waitingPutOnly is waiting for boxes that PUT makes.
type waitingPutOnly struct{ putOnly }

func (h waitingPutOnly) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.putOnly.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.awaitBox(ctx, req.StableID())
}

func (h waitingPutOnly) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.putOnly.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.awaitBox(ctx, req.PhysicalID)
}

// hidesPollError returns another error in place of Poll's.
type hidesPollError struct{ waiting }

func (h hidesPollError) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.waiting.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized {
		err = errors.New("the box is not ready yet")
	}
	return data, err
}

var _ = wrongContinuing(func(d *depot) hidesPollError { return hidesPollError{waiting{named{d}}} },
	explored("v0!slow@1"), "continue-goes-on")

// waitsOnlyInCreate waits in Create, and not in Update.
type waitsOnlyInCreate struct{ waiting }

func (h waitsOnlyInCreate) Update(ctx context.Context, req *updating) (boxData, error) {
	return h.named.Update(ctx, req)
}

var _ = wrongContinuing(func(d *depot) waitsOnlyInCreate { return waitsOnlyInCreate{waiting{named{d}}} },
	explored("v0!slow@1"),
	"continue-succeeds-when-ready",
	"create-never-ready-nothing-left",
)

// deleteIgnoresPollTimeout returns nil when Poll ran out of time.
type deleteIgnoresPollTimeout struct{ waiting }

func (h deleteIgnoresPollTimeout) Delete(ctx context.Context, req *deletion) error {
	err := h.waiting.Delete(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized {
		return nil
	}
	return err
}

var _ = wrongContinuing(func(d *depot) deleteIgnoresPollTimeout { return deleteIgnoresPollTimeout{waiting{named{d}}} },
	explored("v0/sibling-fails!slow@2"), "continue-succeeds-when-ready")

// tagsAfterWaiting tags its box only when that is ready. Until then nothing leads to it.
type tagsAfterWaiting struct{ waitingFound }

func (h tagsAfterWaiting) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, owner: owner(req.Request)})
	if err != nil {
		return data, err
	}
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	if err := h.d.awaitBox(ctx, id); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.change(ctx, id, func(b *box) error { b.tag = req.StableID(); return nil })
}

var _ = wrongContinuing(func(d *depot) tagsAfterWaiting { return tagsAfterWaiting{waitingFound{found{d}}} },
	explored("refused"),
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
)

// callsCreatedAfterWaiting calls Created only when its box is ready.
type callsCreatedAfterWaiting struct{ waiting }

func (h callsCreatedAfterWaiting) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room, owner: owner(req.Request)}); err != nil {
		return data, err
	}
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	if err := h.d.awaitBox(ctx, id); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), nil
}

var _ = wrongContinuing(func(d *depot) callsCreatedAfterWaiting { return callsCreatedAfterWaiting{waiting{named{d}}} },
	explored("v0 v2!fail-at-step:3@1"),
	"continue-cancelled-nothing-left",
	"continue-failed-nothing-left",
	"replace-failed-nothing-left",
)

// fillsFromMemory fills its box after the wait only if this process built it.
type fillsFromMemory struct {
	waiting

	empty map[string]bool
}

func (h fillsFromMemory) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room, owner: owner(req.Request)}); err != nil {
		return data, err
	}
	req.Created(id)
	h.empty[id] = true
	if err := h.d.awaitBox(ctx, id); err != nil {
		return data, err
	}
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h fillsFromMemory) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Adopted && !h.empty[req.PhysicalID] {
		return req.Properties.data(), h.d.awaitBox(ctx, req.PhysicalID)
	}
	return h.waiting.Update(ctx, req)
}

var _ = wrongContinuing(func(d *depot) fillsFromMemory { return fillsFromMemory{waiting{named{d}}, map[string]bool{}} },
	explored("v0!die-at-step:2@1"),
	"continue-makes-one-resource",
	"continue-updates",
	"leads-where-create-does", "create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
)

// waitingFailsIfUnchanged fails if there is nothing to change, as in the second
// invocation of an Update.
type waitingFailsIfUnchanged struct{ waiting }

func (h waitingFailsIfUnchanged) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.filled && b.filling == req.Properties.filling() && !req.Adopted {
			return errNothing
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNoBox) {
		return boxData{}, err
	}
	return h.waiting.Update(ctx, req)
}

var _ = wrongContinuing(func(d *depot) waitingFailsIfUnchanged { return waitingFailsIfUnchanged{waiting{named{d}}} },
	explored("v0 v2/cancelled"),
	"continue-updates",
	"continue-cancelled-nothing-left",
	"continue-failed-nothing-left",
	"replace-failed-then-rollback-keeps-first",
	"update-died-half-way-is-finished",
	"update-failed-then-rollback",
	"update-old-undecodable",
	"update-redelivered",
	"update-same-properties",
	"leads-where-create-does",
)

// waitingFailsIfGone fails if the box is gone, as in the second invocation of a Delete.
type waitingFailsIfGone struct{ waiting }

func (h waitingFailsIfGone) Delete(ctx context.Context, req *deletion) error {
	if err := h.d.remove(ctx, req.PhysicalID); err != nil {
		return err
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

var _ = wrongContinuing(func(d *depot) waitingFailsIfGone { return waitingFailsIfGone{waiting{named{d}}} },
	explored("v0/cancelled"),
	"continue-deletes",
	"continue-cancelled-nothing-left",
	"create-cancelled-while-running",
	"create-failed-nothing-left",
	"delete-died-half-way-is-finished",
	"delete-failed-is-told",
	"delete-lost-create",
	"delete-never-created",
	"delete-twice",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
)
