package cfnresource

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/cfnresource/sdk-go/internal/intercept"
	"github.com/cfnresource/sdk-go/internal/optional"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/track"
)

// A resource is a Handler whose types are forgotten: what the dispatcher works
// with. All its methods run code of the user's.
type resource interface {
	read(raw json.RawMessage) *reading
	validator(p *reading) Validator // nil if there is none

	create(ctx context.Context, r Request, p *reading, replaces string, t *track.ID) (id string, data any, err error)
	update(ctx context.Context, r Request, id string, p, old *reading, oldErr error, identityChanged bool) (data any, err error)
	delete(ctx context.Context, r Request, id string, p *reading) error
	find(ctx context.Context, r Request, p *reading) (id string, err error)

	hasFind() bool
	makes() bool // there is something to delete
	flatten(data any) (attributes map[string]any, secrets []string, err error)
	noEcho() bool
}

// A reading is what a resource's properties were read as.
type reading struct {
	properties.Result
	value         any    // a *P
	identity      string // the text of the properties tagged createOnly
	identityKnown bool
	stableID      string // once it was asked for
	secrets       []string
	err           error // what could not be read
}

// typed is the resource of a Handler[P, D].
type typed[P, D any] struct {
	handler Handler[P, D]
	finder  Finder[P] // nil if the handler has no Find
	props   *properties.Schema
	data    *properties.DataSchema
}

// newTyped returns an error for what cannot work, and says what to change.
func newTyped[P, D any](h Handler[P, D]) (*typed[P, D], error) {
	var errs []error
	if v := reflect.ValueOf(h); !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil() {
		return nil, errors.New("the handler is nil: pass a value that has Create, Update and Delete")
	}
	t := &typed[P, D]{handler: h}
	var err error
	if t.props, err = properties.SchemaOf(reflect.TypeFor[P]()); err != nil {
		errs = append(errs, err)
	}
	if t.data, err = properties.DataSchemaOf(reflect.TypeFor[D]()); err != nil {
		errs = append(errs, err)
	}
	var isFinder bool
	if t.finder, isFinder = h.(Finder[P]); !isFinder {
		own := reflect.TypeOf(h)
		if l, ok := h.(interface{ handlerType() reflect.Type }); ok {
			own = l.handlerType()
		}
		errs = append(errs, optional.MissedFind(own, reflect.TypeFor[Finder[P]]()))
	}
	if p := reflect.TypeFor[*P](); !p.Implements(reflect.TypeFor[Validator]()) {
		errs = append(errs, optional.MissedValidate(p, reflect.TypeFor[Validator]()))
	}
	return t, errors.Join(errs...)
}

func (t *typed[P, D]) read(raw json.RawMessage) *reading {
	p := new(P)
	r := &reading{value: p, Result: t.props.Decode(raw, p)}
	r.identity = t.props.Identity(p)
	r.identityKnown = t.props.IdentityReadable(r.Result)
	r.secrets = t.props.Secrets(raw, p)
	if r.Missing {
		r.err = errors.New("the event has no such properties")
	}
	for _, e := range r.Bad {
		r.err = errors.Join(r.err, propertyError(e))
	}
	return r
}

func propertyError(e *properties.Error) error {
	if e.Path == "" {
		return e.Err
	}
	return &PropertyError{Path: e.Path, Err: e.Err}
}

func (t *typed[P, D]) validator(p *reading) Validator {
	v, _ := p.value.(Validator)
	return v
}

func (t *typed[P, D]) of(p *reading) P { return *p.value.(*P) }

func (t *typed[P, D]) create(ctx context.Context, r Request, p *reading, replaces string, tr *track.ID) (string, any, error) {
	req := &CreateRequest[P]{Request: r, Properties: t.of(p), Replaces: replaces, tracker: tr}
	var res CreateResult[D]
	id, err := intercept.Do(ctx, intercept.Call{Method: "Create", Tracked: tr.Get}, func() (_ string, err error) {
		res, err = t.handler.Create(ctx, req)
		return res.PhysicalID, err
	})
	return id, res.Data, err
}

func (t *typed[P, D]) update(ctx context.Context, r Request, id string, p, old *reading, oldErr error, identityChanged bool) (any, error) {
	req := &UpdateRequest[P]{Request: r, PhysicalID: id, Properties: t.of(p), OldPropertiesErr: oldErr, IdentityChanged: identityChanged}
	if old != nil {
		req.OldProperties = t.of(old)
	}
	var res UpdateResult[D]
	_, err := intercept.Do(ctx, intercept.Call{Method: "Update", PhysicalID: id}, func() (_ string, err error) {
		res, err = t.handler.Update(ctx, req)
		return "", err
	})
	return res.Data, err
}

func (t *typed[P, D]) delete(ctx context.Context, r Request, id string, p *reading) error {
	_, err := intercept.Do(ctx, intercept.Call{Method: "Delete", PhysicalID: id}, func() (string, error) {
		return "", t.handler.Delete(ctx, &DeleteRequest[P]{Request: r, PhysicalID: id, Properties: t.of(p), PropertiesErr: p.err})
	})
	return err
}

func (t *typed[P, D]) find(ctx context.Context, r Request, p *reading) (string, error) {
	id, err := intercept.Do(ctx, intercept.Call{Method: "Find"}, func() (string, error) {
		return t.finder.Find(ctx, &FindRequest[P]{Request: r, Properties: t.of(p), PropertiesErr: p.err})
	})
	if CodeOf(err) == CodeNotFound {
		return "", nil
	}
	return id, err
}

func (t *typed[P, D]) hasFind() bool { return t.finder != nil }

func (t *typed[P, D]) makes() bool {
	_, not := t.handler.(interface{ makesNothing() })
	return !not
}

func (t *typed[P, D]) noEcho() bool { return t.data.HasSecret() }

func (t *typed[P, D]) flatten(data any) (map[string]any, []string, error) {
	attributes, err := properties.Flatten(data)
	return attributes, t.data.Secrets(data), err
}
