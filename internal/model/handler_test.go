package model

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// properties are what the model's templates say.
type properties struct {
	Name  string `cfn:"createOnly"` // where the template chooses the name
	Topic string `cfn:"createOnly"` // where it does not
	Note  string
	Size  int
}

func (p properties) identity() string { return p.Name + "/" + p.Topic }

type attributes struct{ Pad string }

// A kind is one way to write a handler: how its things are named, what the
// physical ID is, and what can find it again.
type kind struct {
	name     string
	naming   naming
	arn      bool     // the ID is an ARN made of the name
	tracks   bool     // Track is called once the thing is made
	returns  bool     // Create returns the ID
	finds    bool     // Find is implemented
	loose    bool     // Find's proof is the owner, not the StableID
	keepName bool     // the template changes Topic and keeps Name
	rigid    bool     // Update refuses to change what makes the identity
	plain    bool     // the service takes no client token
	puts     bool     // Create does not tell what it makes from what is there
	presumes bool     // Track is called before the thing is made, against the contract
	long     bool     // longer histories are played
	phase    bool     // Options.Phase is set
	legacy   string   // the ID of a resource that another library made
	taken    string   // a name that a stranger holds
	limits   []string // what is known not to hold
}

type naming int

const (
	stable   naming = iota // by the StableID
	assigned               // by the service
	chosen                 // by the template
)

func (k *kind) id(name string) string {
	if k.arn {
		return "arn:" + name
	}
	return name
}

// unexplained says whether nothing leads from properties to the ID.
func (k *kind) unexplained() bool { return k.naming != stable && !k.finds || k.arn && !k.finds }

// A handler is of any kind but those that find.
type handler struct {
	*kind
	w *world
}

// A finder is a handler with Find.
type finder struct{ handler }

func (h handler) Create(ctx context.Context, req *cfnresource.CreateRequest[properties]) (res cfnresource.CreateResult[attributes], err error) {
	d := deliveryOf(ctx)
	d.call("Create", "")
	if h.presumes {
		req.Track(h.id(req.Properties.Name))
	}
	if err := d.reach(ctx, begun); err != nil {
		return res, err
	}
	name, err := h.make(d, req)
	if err != nil {
		return res, err
	}
	if err := d.reach(ctx, made); err != nil {
		if d.fault.what == returnsBoth {
			res.PhysicalID = h.id(name)
		}
		return res, err
	}
	if h.tracks {
		req.Track(h.id(name))
	}
	if err := h.w.configure(d, name, req.Properties); err != nil {
		return res, err
	}
	if h.returns {
		res.PhysicalID = h.id(name)
	}
	res.Data.Pad = d.padding()
	return res, d.reach(ctx, done)
}

func (h handler) make(d *delivery, req *cfnresource.CreateRequest[properties]) (name string, err error) {
	owner := string(req.StackID) + req.LogicalID
	switch h.naming {
	case stable:
		name = req.StableID()
		err = h.w.make(d, name, name, owner)
		if h.puts && errors.Is(err, errExists) {
			err = nil
		}
	case chosen:
		name = req.Properties.Name
		err = h.w.make(d, name, h.tag(req.Request), owner)
	case assigned:
		token := ""
		if h.finds && !h.plain {
			token = req.IdempotencyToken()
		}
		name, err = h.w.assign(d, token, h.tag(req.Request), owner)
	}
	if errors.Is(err, errExists) {
		err = cfnresource.AlreadyExists(h.id(name))
	}
	return name, err
}

// tag asks for the StableID only where something can find it.
func (h handler) tag(req cfnresource.Request) string {
	if !h.finds {
		return ""
	}
	return req.StableID()
}

func (h handler) Update(ctx context.Context, req *cfnresource.UpdateRequest[properties]) (res cfnresource.UpdateResult[attributes], err error) {
	d := deliveryOf(ctx)
	d.call("Update", req.PhysicalID)
	name := strings.TrimPrefix(req.PhysicalID, "arn:")
	end, err := h.w.begin(d, name)
	if err != nil {
		return res, err
	}
	defer end()
	if err := d.reach(ctx, begun); err != nil {
		return res, err
	}
	if t, _ := h.w.find(d, func(t *thing) bool { return t.name == name }); t != nil && h.w.differs(t, req.Properties) {
		if h.rigid {
			return res, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "the name cannot change")
		}
		if !req.IdentityChanged && req.OldPropertiesErr == nil {
			h.w.harm("an identity changed in place without a word", "%s", short(req.PhysicalID))
		}
	}
	if err := h.w.configure(d, name, req.Properties); err != nil {
		return res, err
	}
	if err := d.reach(ctx, made); err != nil {
		return res, err
	}
	res.Data.Pad = d.padding()
	return res, d.reach(ctx, done)
}

func (h handler) Delete(ctx context.Context, req *cfnresource.DeleteRequest[properties]) error {
	d := deliveryOf(ctx)
	d.call("Delete", req.PhysicalID)
	if err := d.reach(ctx, begun); err != nil {
		return err
	}
	if d.fault.stuck && d.fired() {
		return errors.New("access denied")
	}
	name := strings.TrimPrefix(req.PhysicalID, "arn:")
	if err := h.w.remove(d, name); err != nil {
		if cfnresource.CodeOf(err) == cfnresource.CodeNotFound && !h.wellFormed(req.PhysicalID) {
			return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the ID is malformed")
		}
		return err
	}
	if err := d.reach(ctx, made); err != nil {
		return err
	}
	return d.reach(ctx, done)
}

// wellFormed is how a service judges the ID of what it does not have. Without
// Find, a Delete may always come with an ID that never was, so there the
// service is a lenient one.
func (h handler) wellFormed(id string) bool {
	switch {
	case h.arn && h.finds:
		return strings.HasPrefix(id, "arn:")
	case h.naming == assigned && h.finds:
		return strings.HasPrefix(id, "svc-")
	}
	return true
}

func (f finder) Find(ctx context.Context, req *cfnresource.FindRequest[properties]) (string, error) {
	d := deliveryOf(ctx)
	d.call("Find", "")
	if err := d.reach(ctx, searching); err != nil {
		return "", err
	}
	t, err := f.w.find(d, func(t *thing) bool {
		switch {
		case f.naming == assigned:
			return t.tag == req.StableID()
		case f.naming == stable:
			return t.name == req.StableID()
		case f.loose:
			return t.name == req.Properties.Name && t.owner == string(req.StackID)+req.LogicalID
		}
		return t.name == req.Properties.Name && t.tag == req.StableID()
	})
	if t == nil || err != nil {
		return "", err
	}
	return f.id(t.name), nil
}

// dispatcher returns a process of Lambda's that runs a handler of this kind.
func (k *kind) dispatcher(w *world, phase func(*cfnresource.Options)) *cfnresource.Dispatcher {
	h := handler{kind: k, w: w}
	if k.finds {
		return cfnresource.New(finder{h}, quiet, phase)
	}
	return cfnresource.New(h, quiet, phase)
}
