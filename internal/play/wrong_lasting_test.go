package play_test

import (
	"context"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
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
	explored("v0 v1!refuse-from-step:1@1"), "update-refused-then-rollback")

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
