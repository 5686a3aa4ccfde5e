package cfntest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Each type here is a right handler but for one fault, in Create.

// randomID names its boxes at random, so that nothing leads back to them.
type randomID struct{ named }

func (h randomID) Create(ctx context.Context, req *creation) (res created, err error) {
	id := "box-" + strings.ToLower(rand.Text())
	if err := h.d.build(ctx, id, box{room: req.Properties.Room}); err != nil {
		return res, err
	}
	req.Track(id)
	return created{PhysicalID: id, Data: req.Properties.data()}, h.d.fill(ctx, id, req.Properties.filling())
}

// byRequest names its boxes by the request, which no later event knows.
type byRequest struct{ named }

func (h byRequest) Create(ctx context.Context, req *creation) (res created, err error) {
	id := "box-" + req.IdempotencyToken()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if err != nil && !errors.Is(err, errTaken) {
		return res, err
	}
	req.Track(id)
	return created{PhysicalID: id, Data: req.Properties.data()}, h.d.fill(ctx, id, req.Properties.filling())
}

// withoutFind gets its IDs from the service, and cannot find them again.
type withoutFind struct{ anyHandler }

// untracked never calls Track, and returns the ID of what went well only.
type untracked struct{ named }

func (h untracked) Create(ctx context.Context, req *creation) (res created, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return res, cfnresource.AlreadyExists(id)
	}
	if err == nil {
		err = h.d.fill(ctx, id, req.Properties.filling())
	}
	if err != nil {
		return res, err
	}
	return created{PhysicalID: id, Data: req.Properties.data()}, nil
}

// trackedLate calls Track once all is done, not once there is a box.
type trackedLate struct{ named }

func (h trackedLate) Create(ctx context.Context, req *creation) (res created, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if errors.Is(err, errTaken) {
		return res, cfnresource.AlreadyExists(id)
	}
	if err == nil {
		err = h.d.fill(ctx, id, req.Properties.filling())
	}
	if err == nil {
		req.Track(id)
	}
	return created{Data: req.Properties.data()}, err
}

// trackedEarly calls Track for a name that may be taken.
type trackedEarly struct{ named }

func (h trackedEarly) Create(ctx context.Context, req *creation) (created, error) {
	req.Track(req.StableID())
	return h.named.Create(ctx, req)
}

// strangerTracked calls Track for a name that may be a stranger's.
type strangerTracked struct{ chosen }

func (h strangerTracked) Create(ctx context.Context, req *creation) (created, error) {
	req.Track(req.Properties.Room)
	return h.chosen.Create(ctx, req)
}

// otherTracked tracks an ID of another form than the one that it returns.
type otherTracked struct{ found }

func (h otherTracked) Create(ctx context.Context, req *creation) (res created, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room, tag: req.StableID(), token: req.IdempotencyToken()})
	if err != nil {
		return res, err
	}
	req.Track("depot:" + id)
	return created{PhysicalID: id, Data: req.Properties.data()}, h.d.fill(ctx, id, req.Properties.filling())
}

// otherReturned returns an ID that no box has.
type otherReturned struct{ named }

func (h otherReturned) Create(ctx context.Context, req *creation) (created, error) {
	res, err := h.named.Create(ctx, req)
	if err == nil {
		res.PhysicalID = "depot:" + req.StableID()
	}
	return res, err
}

// plainlyTaken does not say with AlreadyExists that its own box exists.
type plainlyTaken struct{ named }

func (h plainlyTaken) Create(ctx context.Context, req *creation) (created, error) {
	res, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = errTaken
	}
	return res, err
}

// takenIsDone takes a box that exists for a box that is finished.
type takenIsDone struct{ named }

func (h takenIsDone) Create(ctx context.Context, req *creation) (created, error) {
	res, err := h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		return created{Data: req.Properties.data()}, nil
	}
	return res, err
}

// strangersTaken makes a stranger's box its own.
type strangersTaken struct{ chosen }

func (h strangersTaken) Create(ctx context.Context, req *creation) (res created, err error) {
	id := req.Properties.Room
	err = h.d.build(ctx, id, box{room: req.Properties.Room, tag: req.StableID()})
	if err != nil && !errors.Is(err, errTaken) {
		return res, err
	}
	req.Track(id)
	return created{PhysicalID: id, Data: req.Properties.data()}, h.d.fill(ctx, id, req.Properties.filling())
}

// metTracked puts, instead of making, and tracks what it put.
type metTracked struct{ named }

func (h metTracked) Create(ctx context.Context, req *creation) (res created, err error) {
	id := req.StableID()
	err = h.d.build(ctx, id, box{room: req.Properties.Room})
	if err != nil && !errors.Is(err, errTaken) {
		return res, err
	}
	req.Track(id)
	return created{Data: req.Properties.data()}, h.d.fill(ctx, id, req.Properties.filling())
}

// tidying removes the box when it fails, whosever it is.
type tidying struct{ chosen }

func (h tidying) Create(ctx context.Context, req *creation) (created, error) {
	res, err := h.chosen.Create(ctx, req)
	if err != nil {
		err = errors.Join(err, gone(h.d.remove(ctx, req.Properties.Room)))
	}
	return res, err
}

// deaf does not stop when its context ends.
type deaf struct{ named }

func (h deaf) Create(ctx context.Context, req *creation) (created, error) {
	return h.named.Create(context.WithoutCancel(ctx), req)
}

// optimist takes no notice that its box could not be filled.
type optimist struct{ named }

func (h optimist) Create(ctx context.Context, req *creation) (created, error) {
	res, err := h.named.Create(ctx, req)
	if req.Tracked() != "" {
		err = nil
	}
	return res, err
}

// resigned takes the end of its time for the end of its work.
type resigned struct{ named }

func (h resigned) Create(ctx context.Context, req *creation) (created, error) {
	res, err := h.named.Create(ctx, req)
	if ctx.Err() != nil && req.Tracked() != "" {
		err = nil
	}
	return res, err
}

// retrying asks again where it got no reply, without a token that would tell
// the service so.
type retrying struct{ found }

func (h retrying) Create(ctx context.Context, req *creation) (res created, err error) {
	b := box{room: req.Properties.Room, tag: req.StableID()}
	id, err := h.d.assign(ctx, b)
	if err != nil && ctx.Err() == nil {
		id, err = h.d.assign(ctx, b)
	}
	if err != nil {
		return res, err
	}
	req.Track(id)
	return created{PhysicalID: id, Data: req.Properties.data()}, h.d.fill(ctx, id, req.Properties.filling())
}
