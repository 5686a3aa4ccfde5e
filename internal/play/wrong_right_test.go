package play_test

import (
	"context"
	"errors"
	"log/slog"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

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

// chosen is a right handler: its boxes bear the names of their rooms, which the template chooses
// and which a stranger may have taken. The tag proves whose a box is.
type chosen struct{ found }

func (h chosen) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room, tag: req.StableID(), owner: owner(req.Request)}); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h chosen) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, b *box) bool { return name == req.Properties.Room && b.tag == req.StableID() })
}
