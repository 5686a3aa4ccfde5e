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
	"github.com/cfnresource/sdk-go/internal/play"
)

// Each type here is a right handler but for one fault, in Create.

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
	process: func(d *depot) play.Function { return process(randomID{named{d}}) },
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

// byRequest names its boxes by the request, which no later event knows.
type byRequest struct{ named }

func (h byRequest) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := "box-" + req.IdempotencyToken()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "byRequest",
	process: func(d *depot) play.Function { return process(byRequest{named{d}}) },
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// withoutFind gets its IDs from the service, and cannot find them again.
type withoutFind struct{ anyHandler }

var _ = wrong(wrongHandler{
	name:    "withoutFind",
	process: func(d *depot) play.Function { return process(withoutFind{found{d}}) },
	checks: []string{
		"delete-lost-create",
		"create-cancelled-while-running",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
		"update-replaces",
	}, explored: "v0/cancelled",
})

// uncreated never calls Created.
type uncreated struct{ named }

func (h uncreated) Create(ctx context.Context, req *creation) (data boxData, err error) {
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
	name:    "uncreated",
	process: func(d *depot) play.Function { return process(uncreated{named{d}}) },
	checks:  []string{"replace-failed-nothing-left"}, explored: "v0 v2!error-after@1",
})

// createdLate calls Created once all is done, not once there is a box.
type createdLate struct{ named }

func (h createdLate) Create(ctx context.Context, req *creation) (data boxData, err error) {
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
	name:    "createdLate",
	process: func(d *depot) play.Function { return process(createdLate{named{d}}) },
	checks:  []string{"replace-failed-nothing-left"}, explored: "v0 v2!fail-at-step:3@1",
})

// createdEarly calls Created for a name that may be taken.
type createdEarly struct{ named }

func (h createdEarly) Create(ctx context.Context, req *creation) (boxData, error) {
	req.Created(req.StableID())
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "createdEarly",
	process: func(d *depot) play.Function { return process(createdEarly{named{d}}) },
	checks:  []string{"replace-then-rollback-returns-to-first"}, explored: "v0 v2/sibling-fails!hang-at-step:1@2",
})

// strangerCreated calls Created for a name that may be a stranger's.
type strangerCreated struct{ chosen }

func (h strangerCreated) Create(ctx context.Context, req *creation) (boxData, error) {
	req.Created(req.Properties.Room)
	return h.chosen.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "strangerCreated",
	process: func(d *depot) play.Function { return process(strangerCreated{chosen{found{d}}}) },
	checks:  []string{"stranger-holds-the-name"},
	why:     "no history has a stranger",
})

// otherCreated names an ID of another form than the one that it made.
type otherCreated struct{ found }

func (h otherCreated) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
	if err != nil {
		return data, err
	}
	req.Created("depot:" + id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "otherCreated",
	process: func(d *depot) play.Function { return process(otherCreated{found{d}}) },
	checks:  []string{"create-delete"}, explored: "v0",
})

// plainlyTaken does not say with AlreadyExists that its own box exists.
type plainlyTaken struct{ named }

func (h plainlyTaken) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "plainlyTaken",
	process: func(d *depot) play.Function { return process(plainlyTaken{named{d}}) },
	checks: []string{
		"create-redelivered-one-resource",
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
		"replace-then-rollback-returns-to-first",
	}, explored: "v0!undelivered@1",
})

// takenIsDone takes a box that exists for a box that is finished.
type takenIsDone struct{ named }

func (h takenIsDone) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		return req.Properties.data(), nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "takenIsDone",
	process: func(d *depot) play.Function { return process(takenIsDone{named{d}}) },
	checks: []string{
		"create-died-half-way-is-finished",
		"replace-redelivered-one-resource",
	}, explored: "v0!die-at-step:2@1",
})

// strangersTaken makes a stranger's box its own.
type strangersTaken struct{ chosen }

func (h strangersTaken) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	err = h.d.build(ctx, id, box{room: req.Properties.Room, tag: req.StableID()})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "strangersTaken",
	process: func(d *depot) play.Function { return process(strangersTaken{chosen{found{d}}}) },
	checks:  []string{"stranger-holds-the-name", "sibling-is-left-alone"},
	why:     "no history has a stranger",
})

// metCreated puts, instead of making, and calls Created for what it put.
type metCreated struct{ named }

func (h metCreated) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(wrongHandler{
	name:    "metCreated",
	process: func(d *depot) play.Function { return process(metCreated{named{d}}) },
	checks:  []string{"replace-then-rollback-returns-to-first"}, explored: "v0 v2/sibling-fails!out-of-time-after@2",
})

// tidying removes the box when it fails, whosever it is.
type tidying struct{ chosen }

func (h tidying) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.chosen.Create(ctx, req)
	if err != nil {
		err = errors.Join(err, gone(h.d.remove(ctx, req.Properties.Room)))
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "tidying",
	process: func(d *depot) play.Function { return process(tidying{chosen{found{d}}}) },
	checks:  []string{"stranger-holds-the-name"}, explored: "v0!twice@1",
})

// deaf does not stop when its context ends.
type deaf struct{ named }

func (h deaf) Create(ctx context.Context, req *creation) (boxData, error) {
	return h.named.Create(context.WithoutCancel(ctx), req)
}

var _ = wrong(wrongHandler{
	name:    "deaf",
	process: func(d *depot) play.Function { return process(deaf{named{d}}) },
	checks:  []string{"context-ends-handler-returns"}, explored: "v0!hang-at-step:1@1",
})

// optimist takes no notice that its box could not be filled.
type optimist struct{ named }

func (h optimist) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if req.CreatedID() != "" {
		err = nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "optimist",
	process: func(d *depot) play.Function { return process(optimist{named{d}}) },
	checks: []string{
		"create-failed-nothing-left",
		"create-error-after-making",
		"create-out-of-time-nothing-left",
	}, explored: "refused",
})

// resigned takes the end of its time for the end of its work.
type resigned struct{ named }

func (h resigned) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if ctx.Err() != nil && req.CreatedID() != "" {
		err = nil
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "resigned",
	process: func(d *depot) play.Function { return process(resigned{named{d}}) },
	checks:  []string{"create-out-of-time-nothing-left"}, explored: "v0!hang-at-step:3@1",
})

// oneAtATime lets one method run at a time in a process, and holds on to its

// turn when that panics.
func oneAtATime() cfnresource.Middleware {
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
	name: "oneAtATime",
	process: func(d *depot) play.Function {
		return cfnresource.New(named{d}, func(o *cfnresource.Options) {
			o.Logger, o.Middleware = slog.New(slog.DiscardHandler), []cfnresource.Middleware{oneAtATime()}
		})
	},
	checks: []string{"create-panics-after-making"},
	why:    "no process in a history has a second event",
})

// retrying asks again where it got no reply, without a token that would tell

// the service so.
type retrying struct{ found }

func (h retrying) Create(ctx context.Context, req *creation) (data boxData, err error) {
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
	name:    "retrying",
	process: func(d *depot) play.Function { return process(retrying{found{d}}) },
	checks:  []string{"create-error-after-making"}, explored: "v0!twice@1",
})

// firstName asks for its name once in the life of a process.
type firstName struct {
	named
	once *sync.Once
	name *string
}

func (h firstName) Create(ctx context.Context, req *creation) (boxData, error) {
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
	name: "firstName",
	process: func(d *depot) play.Function {
		return process(firstName{named{d}, new(sync.Once), new(string)})
	},
	checks: []string{"warm-process-serves-several"},
	why:    "no process in a history has a second event",
})

// shortened cuts its names where they are long.
type shortened struct{ named }

func (h shortened) Create(ctx context.Context, req *creation) (data boxData, err error) {
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
	name:    "shortened",
	process: func(d *depot) play.Function { return process(shortened{named{d}}) },
	checks:  []string{"long-names"},
	why:     "the names in a history are short",
})

// tireless asks again and again, whatever is answered, and whether its context
// has ended or not.
type tireless struct{ named }

func (h tireless) Create(ctx context.Context, req *creation) (boxData, error) {
	for {
		data, err := h.named.Create(ctx, req)
		if err == nil || cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
			return data, err
		}
		<-time.After(time.Second)
	}
}

var _ = wrong(wrongHandler{
	name:    "tireless",
	process: func(d *depot) play.Function { return process(tireless{named{d}}) },
	checks:  []string{"context-ends-handler-returns"}, explored: "v0!hang-at-step:1@1",
})

// patient asks again while there is time: it is right.
type patient struct{ named }

func (h patient) Create(ctx context.Context, req *creation) (boxData, error) {
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

// contextless passes on a context of its own.
type contextless struct{ named }

func (h contextless) Create(_ context.Context, req *creation) (boxData, error) {
	return h.named.Create(context.Background(), req)
}

var _ = wrong(wrongHandler{
	name:    "contextless",
	process: func(d *depot) play.Function { return process(contextless{named{d}}) },
	checks:  []string{"context-ends-handler-returns"},
	why:     "where no Step is seen, nothing goes wrong at one",
})
