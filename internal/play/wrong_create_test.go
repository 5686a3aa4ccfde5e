package play_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in Create.

// randomID names its boxes at random, so that nothing leads back to them.
type randomID struct{ named }

func (h randomID) Create(ctx context.Context, req *creation) (boxData, error) {
	return h.create(ctx, req, "box-"+strings.ToLower(rand.Text()))
}

var _ = wrong(func(d *depot) randomID { return randomID{named{d}} },
	explored("v0/cancelled"),
	"create-redelivered-one-resource",
	"create-cancelled-while-running",
	"create-died-half-way-is-finished",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"delete-lost-create",
	"update-replaces",
)

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

var _ = wrong(func(d *depot) namedByRequest { return namedByRequest{named{d}} },
	explored("v0/cancelled"),
	"delete-lost-create",
	"create-cancelled-while-running",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"update-replaces",
)

// withoutFind gets its IDs from the service, and has no Find.
type withoutFind struct{ anyHandler }

var _ = wrong(func(d *depot) withoutFind { return withoutFind{found{d}} },
	explored("v0/cancelled"),
	"delete-lost-create",
	"create-cancelled-while-running",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"update-replaces",
)

// neverCallsCreated never calls Created.
type neverCallsCreated struct{ named }

func (h neverCallsCreated) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.StableID()
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room}); err != nil {
		return data, err
	}
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(func(d *depot) neverCallsCreated { return neverCallsCreated{named{d}} },
	explored("v0 v2!error-after@1"), "replace-failed-nothing-left")

// callsCreatedLate calls Created when all is done, not as soon as there is a box.
type callsCreatedLate struct{ named }

func (h callsCreatedLate) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := neverCallsCreated(h).Create(ctx, req)
	if err == nil {
		req.Created(req.StableID())
	}
	return data, err
}

var _ = wrong(func(d *depot) callsCreatedLate { return callsCreatedLate{named{d}} },
	explored("v0 v2!fail-at-step:3@1"), "replace-failed-nothing-left")

// callsCreatedEarly calls Created for a name that may be taken.
type callsCreatedEarly struct{ named }

func (h callsCreatedEarly) Create(ctx context.Context, req *creation) (boxData, error) {
	req.Created(req.StableID())
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) callsCreatedEarly { return callsCreatedEarly{named{d}} },
	explored("v0 v2/sibling-fails!fail-at-step:1@2"), "replace-then-rollback-returns-to-first")

// callsCreatedForStranger calls Created for a name that a stranger may hold.
type callsCreatedForStranger struct{ chosen }

func (h callsCreatedForStranger) Create(ctx context.Context, req *creation) (boxData, error) {
	req.Created(req.Properties.Room)
	return h.chosen.Create(ctx, req)
}

var _ = wrong(func(d *depot) callsCreatedForStranger { return callsCreatedForStranger{chosen{found{d}}} },
	unexplored("no history that Explore plays has a stranger"), "stranger-holds-the-name")

// callsCreatedWithOtherID passes Created another ID than that of the box that it made.
type callsCreatedWithOtherID struct{ found }

func (h callsCreatedWithOtherID) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
	if err != nil {
		return data, err
	}
	req.Created("depot:" + id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(func(d *depot) callsCreatedWithOtherID { return callsCreatedWithOtherID{found{d}} },
	explored("v0"), "create-delete")

// failsIfExists does not answer AlreadyExists if its own box exists.
type failsIfExists struct{ named }

func (h failsIfExists) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return data, err
}

var _ = wrong(func(d *depot) failsIfExists { return failsIfExists{named{d}} },
	explored("v0!redeliver@1"),
	"create-redelivered-one-resource",
	"create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
	"replace-then-rollback-returns-to-first",
)

// existingIsComplete assumes that a box that exists is complete.
type existingIsComplete struct{ named }

func (h existingIsComplete) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		return req.Properties.data(), nil
	}
	return data, err
}

var _ = wrong(func(d *depot) existingIsComplete { return existingIsComplete{named{d}} },
	explored("v0!die-at-step:2@1"),
	"create-died-half-way-is-finished",
	"replace-redelivered-one-resource",
	"leads-where-create-does",
)

// takesOverStranger takes over a stranger's box.
type takesOverStranger struct{ chosen }

func (h takesOverStranger) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	err = h.d.build(ctx, id, box{room: req.Properties.Room, tag: req.StableIDOf(id)})
	if err != nil && !errors.Is(err, errTaken) {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

var _ = wrong(func(d *depot) takesOverStranger { return takesOverStranger{chosen{found{d}}} },
	unexplored("no history that Explore plays has a stranger"),
	"stranger-holds-the-name",
	"sibling-is-left-alone",
)

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

var _ = wrong(func(d *depot) callsCreatedForExisting { return callsCreatedForExisting{named{d}} },
	explored("v0 v2/sibling-fails!error-after@2"), "replace-then-rollback-returns-to-first")

// removesOnFailure removes the box if Create fails, whosever box it is.
type removesOnFailure struct{ chosen }

func (h removesOnFailure) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.chosen.Create(ctx, req)
	if err != nil {
		err = errors.Join(err, gone(h.d.remove(ctx, req.Properties.Room)))
	}
	return data, err
}

var _ = wrong(func(d *depot) removesOnFailure { return removesOnFailure{chosen{found{d}}} },
	explored("v0!twice@1"), "stranger-holds-the-name")

// createIgnoresContext does not stop when its context ends.
type createIgnoresContext struct{ named }

func (h createIgnoresContext) Create(ctx context.Context, req *creation) (boxData, error) {
	return h.named.Create(context.WithoutCancel(ctx), req)
}

var _ = wrong(func(d *depot) createIgnoresContext { return createIgnoresContext{named{d}} },
	explored("v0!hang-at-step:1@1"), "context-ends-handler-returns",
)

// createIgnoresErrors reports success though its box could not be filled.
type createIgnoresErrors struct{ named }

func (h createIgnoresErrors) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if req.CreatedID() != "" {
		err = nil
	}
	return data, err
}

var _ = wrong(func(d *depot) createIgnoresErrors { return createIgnoresErrors{named{d}} },
	explored("refused"),
	"create-failed-nothing-left",
	"create-error-after-making",
	"create-out-of-time-nothing-left",
	"replace-failed-then-rollback-keeps-first",
	"leads-where-create-does",
)

// timeoutIsSuccess reports success when it ran out of time.
type timeoutIsSuccess struct{ named }

func (h timeoutIsSuccess) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if ctx.Err() != nil && req.CreatedID() != "" {
		err = nil
	}
	return data, err
}

var _ = wrong(func(d *depot) timeoutIsSuccess { return timeoutIsSuccess{named{d}} },
	explored("v0!hang-at-step:3@1"), "create-out-of-time-nothing-left")

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

var _ = wrongFunction("keepsLockAfterPanic", func(d *depot) simulate.Function {
	return cfnresource.New(named{d}, func(o *cfnresource.Options) {
		o.Logger, o.Middleware = slog.New(slog.DiscardHandler), []cfnresource.Middleware{keepsLockAfterPanic()}
	})
}, unexplored("no process in a history has a second event"), "create-panics-after-making")

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

var _ = wrong(func(d *depot) retriesWithoutToken { return retriesWithoutToken{found{d}} },
	explored("v0!twice@1"), "create-error-after-making",
	"replace-failed-nothing-left",
)

// namesOncePerProcess uses the name of the first box of its process for all.
type namesOncePerProcess struct {
	named
	once *sync.Once
	name *string
}

func (h namesOncePerProcess) Create(ctx context.Context, req *creation) (boxData, error) {
	h.once.Do(func() { *h.name = req.StableID() })
	return h.create(ctx, req, *h.name)
}

var _ = wrong(func(d *depot) namesOncePerProcess { return namesOncePerProcess{named{d}, new(sync.Once), new(string)} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

// cutsNames cuts off long names.
type cutsNames struct{ named }

func (h cutsNames) Create(ctx context.Context, req *creation) (boxData, error) {
	id := req.StableID()
	return h.create(ctx, req, id[:min(len(id), 40)])
}

var _ = wrong(func(d *depot) cutsNames { return cutsNames{named{d}} },
	unexplored("the names in a history are short"), "long-names")

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

var _ = wrong(func(d *depot) retriesForever { return retriesForever{named{d}} },
	explored("v0!hang-at-step:1@1"), "context-ends-handler-returns",
	"create-refused-nothing-left",
	"create-failed-nothing-left",
)

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

var _ = wrong(func(d *depot) usesBackgroundContext { return usesBackgroundContext{named{d}} },
	unexplored("where no Step is seen, nothing goes wrong at one"),
	"context-ends-handler-returns",
	"steps-around-effects",
)

// takesKey takes a key to the depot first for what is large and fits, as only InPlace does. Its Delete asks for the box, and
// goes no further if there is none.
type takesKey struct{ named }

func (h takesKey) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if err := h.key(ctx, req.StableID(), req.Properties.Size); err != nil {
		return data, err
	}
	return h.named.Create(ctx, req)
}

func (h takesKey) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if err := h.key(ctx, req.PhysicalID, req.Properties.Size); err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

func (h takesKey) Delete(ctx context.Context, req *deletion) error {
	there, err := h.d.find(ctx, func(name string, _ *box) bool { return name == req.PhysicalID })
	if err != nil || there == "" {
		return err
	}
	if err := h.key(ctx, req.PhysicalID, 0); err != nil {
		return err
	}
	return h.named.Delete(ctx, req)
}

// key takes the key for a box, or gives it back. A box of Properties never had one, and asks for nothing in Create.
func (h takesKey) key(ctx context.Context, id string, size int) error {
	h.d.mu.Lock()
	has := h.d.doors[id] > 0
	h.d.mu.Unlock()
	isLarge := size > 50 && size < 100
	if has == isLarge {
		return nil
	}
	return h.d.effect(ctx, func() error {
		if delete(h.d.doors, id); isLarge {
			h.d.doors[id] = 1
		}
		return nil
	})
}

// No fault of a Create of Properties comes between two calls of which only InPlace needs the first.
func TestFaultsMeetACreateThatOnlyInPlaceNeeds(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(takesKey{named{d}}) })
	if text, _ := play.RunCheck(t, c, "create-error-after-making"); !strings.Contains(text, `"v1!fail-at-step:2@1"`) {
		t.Errorf("the check says %q", text)
	}
	if found := play.FirstFinding(t, c, 0, fault.FailAtStep); found.History != "v1!fail-at-step:2@1" {
		t.Errorf("the first of %d histories is %q\n%s", found.Played, found.History, found.Text)
	}
}
