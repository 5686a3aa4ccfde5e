package play_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in Create.

// randomID names its boxes at random, so that nothing leads back to them.
type randomID struct{ named }

func (h randomID) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := "box-" + strings.ToLower(rand.Text())
	if err := h.d.build(ctx, id, box{room: req.Properties.Room}); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "randomID",
	process: func(d *depot) simulate.Function { return process(randomID{named{d}}) },
	checks: []string{
		"create-redelivered-one-resource",
		"create-cancelled-while-running",
		"create-died-half-way-is-finished",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"delete-lost-create",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// namedByRequest names its boxes by the request, which no later event repeats.
type namedByRequest struct{ named }

func (h namedByRequest) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := "box-" + req.IdempotencyToken()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "namedByRequest",
	process: func(d *depot) simulate.Function { return process(namedByRequest{named{d}}) },
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// withoutFind gets its IDs from the service, and has no Find.
type withoutFind struct{ anyHandler }

var _ = wrong(wrongHandler{
	name:    "withoutFind",
	process: func(d *depot) simulate.Function { return process(withoutFind{found{d}}) },
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// neverCallsCreated never calls Created.
type neverCallsCreated struct{ named }

func (h neverCallsCreated) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	}
	if err == nil {
		err = h.d.fill(ctx, id, req.Properties.filling())
	}
	if err != nil {
		return data, err
	}
	return req.Properties.data(), nil
}

var _ = wrong(wrongHandler{
	name:    "neverCallsCreated",
	process: func(d *depot) simulate.Function { return process(neverCallsCreated{named{d}}) },
	checks:  []string{"replace-failed-nothing-left"}, explored: "v0 v2!error-after@1",
})

// callsCreatedLate calls Created when all is done, not as soon as there is a box.
type callsCreatedLate struct{ named }

func (h callsCreatedLate) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	}
	if err == nil {
		err = h.d.fill(ctx, id, req.Properties.filling())
	}
	if err == nil {
		req.Created(id)
	}
	return req.Properties.data(), err
}

var _ = wrong(wrongHandler{
	name:    "callsCreatedLate",
	process: func(d *depot) simulate.Function { return process(callsCreatedLate{named{d}}) },
	checks:  []string{"replace-failed-nothing-left"}, explored: "v0 v2!fail-at-step:3@1",
})

// callsCreatedEarly calls Created for a name that may be taken.
type callsCreatedEarly struct{ named }

func (h callsCreatedEarly) Create(ctx context.Context, req *creation) (boxData, error) {
	req.Created(req.StableID())
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "callsCreatedEarly",
	process: func(d *depot) simulate.Function { return process(callsCreatedEarly{named{d}}) },
	checks:  []string{"replace-then-rollback-returns-to-first"}, explored: "v0 v2/sibling-fails!hang-at-step:1@2",
})

// callsCreatedForStranger calls Created for a name that a stranger may hold.
type callsCreatedForStranger struct{ chosen }

func (h callsCreatedForStranger) Create(ctx context.Context, req *creation) (boxData, error) {
	req.Created(req.Properties.Room)
	return h.chosen.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "callsCreatedForStranger",
	process: func(d *depot) simulate.Function { return process(callsCreatedForStranger{chosen{found{d}}}) },
	checks:  []string{"stranger-holds-the-name"},
	why:     "no history has a stranger",
})

// callsCreatedWithOtherID passes Created another ID than that of the box that it
// made.
type callsCreatedWithOtherID struct{ found }

func (h callsCreatedWithOtherID) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
	if err != nil {
		return data, err
	}
	req.Created("depot:" + id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "callsCreatedWithOtherID",
	process: func(d *depot) simulate.Function { return process(callsCreatedWithOtherID{found{d}}) },
	checks:  []string{"create-delete"}, explored: "v0",
})

// failsIfExists does not answer AlreadyExists if its own box exists.
type failsIfExists struct{ named }

func (h failsIfExists) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "failsIfExists",
	process: func(d *depot) simulate.Function { return process(failsIfExists{named{d}}) },
	checks: []string{
		"create-redelivered-one-resource",
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0!undelivered@1",
})

// existingIsComplete assumes that a box that exists is complete.
type existingIsComplete struct{ named }

func (h existingIsComplete) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		return req.Properties.data(), nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "existingIsComplete",
	process: func(d *depot) simulate.Function { return process(existingIsComplete{named{d}}) },
	checks: []string{
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
	}, explored: "v0!die-at-step:2@1",
})

// takesOverStranger takes over a stranger's box.
type takesOverStranger struct{ chosen }

func (h takesOverStranger) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	err = h.d.build(ctx, id, box{room: req.Properties.Room, tag: req.StableID()})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "takesOverStranger",
	process: func(d *depot) simulate.Function { return process(takesOverStranger{chosen{found{d}}}) },
	checks:  []string{"stranger-holds-the-name", "sibling-is-left-alone"},
	why:     "no history has a stranger",
})

// callsCreatedForExisting overwrites a box that exists, and calls Created for it.
type callsCreatedForExisting struct{ named }

func (h callsCreatedForExisting) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "callsCreatedForExisting",
	process: func(d *depot) simulate.Function { return process(callsCreatedForExisting{named{d}}) },
	checks:  []string{"replace-then-rollback-returns-to-first"}, explored: "v0 v2/sibling-fails!out-of-time-after@2",
})

// removesOnFailure removes the box if Create fails, whosever box it is.
type removesOnFailure struct{ chosen }

func (h removesOnFailure) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.chosen.Create(ctx, req)
	if err != nil {
		err = errors.Join(err, gone(h.d.remove(ctx, req.Properties.Room)))
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "removesOnFailure",
	process: func(d *depot) simulate.Function { return process(removesOnFailure{chosen{found{d}}}) },
	checks:  []string{"stranger-holds-the-name"}, explored: "v0!twice@1",
})

// createIgnoresContext does not stop when its context ends.
type createIgnoresContext struct{ named }

func (h createIgnoresContext) Create(ctx context.Context, req *creation) (boxData, error) {
	return h.named.Create(context.WithoutCancel(ctx), req)
}

var _ = wrong(wrongHandler{
	name:    "createIgnoresContext",
	process: func(d *depot) simulate.Function { return process(createIgnoresContext{named{d}}) },
	checks:  []string{"context-ends-handler-returns"}, explored: "v0!hang-at-step:1@1",
})

// createIgnoresErrors reports success though its box could not be filled.
type createIgnoresErrors struct{ named }

func (h createIgnoresErrors) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if req.CreatedID() != "" {
		err = nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "createIgnoresErrors",
	process: func(d *depot) simulate.Function { return process(createIgnoresErrors{named{d}}) },
	checks: []string{
		"create-failed-nothing-left",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
	}, explored: "refused",
})

// timeoutIsSuccess reports success when it ran out of time.
type timeoutIsSuccess struct{ named }

func (h timeoutIsSuccess) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if ctx.Err() != nil && req.CreatedID() != "" {
		err = nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "timeoutIsSuccess",
	process: func(d *depot) simulate.Function { return process(timeoutIsSuccess{named{d}}) },
	checks:  []string{"create-out-of-time-nothing-left"}, explored: "v0!hang-at-step:3@1",
})

// keepsLockAfterPanic runs one method at a time in a process, and keeps its lock if
// the method panics.
func keepsLockAfterPanic() cfnresource.Middleware {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		err := next(ctx)
		<-turn
		return err
	}
}

var _ = wrong(wrongHandler{
	name: "keepsLockAfterPanic",
	process: func(d *depot) simulate.Function {
		return cfnresource.New(named{d}, func(o *cfnresource.Options) {
			o.Logger, o.Middleware = slog.New(slog.DiscardHandler), []cfnresource.Middleware{keepsLockAfterPanic()}
		})
	},
	checks: []string{"create-panics-after-making"},
	why:    "no process in a history has a second event",
})

// retriesWithoutToken repeats a call that got no reply, without a token by which the
// service could tell.
type retriesWithoutToken struct{ found }

func (h retriesWithoutToken) Create(ctx context.Context, req *creation) (data boxData, err error) {
	b := box{room: req.Properties.Room, tag: req.StableID()}
	id, err := h.d.assign(ctx, b)
	if err != nil && ctx.Err() == nil {
		id, err = h.d.assign(ctx, b)
	}
	if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "retriesWithoutToken",
	process: func(d *depot) simulate.Function { return process(retriesWithoutToken{found{d}}) },
	checks:  []string{"create-error-after-making"}, explored: "v0!twice@1",
})

// namesOncePerProcess uses the name of the first box of its process for all.
type namesOncePerProcess struct {
	named
	once *sync.Once
	name *string
}

func (h namesOncePerProcess) Create(ctx context.Context, req *creation) (boxData, error) {
	h.once.Do(func() { *h.name = req.StableID() })
	id := *h.name
	err := h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return boxData{}, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return boxData{}, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name: "namesOncePerProcess",
	process: func(d *depot) simulate.Function {
		return process(namesOncePerProcess{named{d}, new(sync.Once), new(string)})
	},
	checks: []string{"warm-process-serves-several"},
	why:    "no process in a history has a second event",
})

// cutsNames cuts off long names.
type cutsNames struct{ named }

func (h cutsNames) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	id = id[:min(len(id), 40)]
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "cutsNames",
	process: func(d *depot) simulate.Function { return process(cutsNames{named{d}}) },
	checks:  []string{"long-names"},
	why:     "the names in a history are short",
})

// retriesForever retries any error, even after its context has ended.
type retriesForever struct{ named }

func (h retriesForever) Create(ctx context.Context, req *creation) (boxData, error) {
	for {
		data, err := h.named.Create(ctx, req)
		if err == nil || cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
			return data, err
		}
		<-time.After(time.Second)
	}
}

var _ = wrong(wrongHandler{
	name:    "retriesForever",
	process: func(d *depot) simulate.Function { return process(retriesForever{named{d}}) },
	checks:  []string{"context-ends-handler-returns"}, explored: "v0!hang-at-step:1@1",
})

// retriesThrottling retries while it has time. It is right.
type retriesThrottling struct{ named }

func (h retriesThrottling) Create(ctx context.Context, req *creation) (boxData, error) {
	for {
		data, err := h.named.Create(ctx, req)
		if cfnresource.CodeOf(err) != cfnresource.CodeThrottling {
			return data, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return data, context.Cause(ctx)
		}
	}
}

// usesBackgroundContext passes on a context of its own.
type usesBackgroundContext struct{ named }

func (h usesBackgroundContext) Create(_ context.Context, req *creation) (boxData, error) {
	return h.named.Create(context.Background(), req)
}

var _ = wrong(wrongHandler{
	name:    "usesBackgroundContext",
	process: func(d *depot) simulate.Function { return process(usesBackgroundContext{named{d}}) },
	checks:  []string{"context-ends-handler-returns", "steps-around-effects"},
	why:     "where no Step is seen, nothing goes wrong at one",
})
