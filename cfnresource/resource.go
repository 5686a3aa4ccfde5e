package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/properties"
)

// A resource is a Handler without its type parameters, as the dispatcher uses it.
// Its methods may run the user's code.
type resource interface {
	read(m properties.Member) *decoded
	runsUserCode() bool // read calls methods of the user's types

	// open opens a lazy handler. The methods below are called after it succeeded.
	open(ctx context.Context) error
	isOpen() bool
	create(ctx context.Context, r Request, p *decoded, replaces string, created *createdID) (output, error)
	update(ctx context.Context, r Request, u updateCall) (output, error)
	delete(ctx context.Context, r Request, id string, p *decoded) error
	find(ctx context.Context, r Request, at string, p *decoded) (id string, err error)
	finds() bool
	makes() bool // there is something to delete
}

// An output is what a Create or Update returned. If that failed, only the secrets
// are set: the error may quote them.
type output struct {
	succeeded  bool // the method returned no error; Data may still be invalid
	attributes map[string]any
	noEcho     bool
	secrets    []string
}

// An updateCall holds the arguments of an Update.
type updateCall struct {
	id               string
	properties, old  *decoded // old is nil where the resource is adopted
	adopted, changed bool
}

// A decoded is what a resource's properties were read as.
type decoded struct {
	properties.Result
	value         any    // a *P
	identity      string // the text of the properties tagged createOnly
	identityKnown bool
	stableID      string // once it was asked for
	secrets       []string
	err           error // which properties could not be read
}

// typedResource is the resource of a Handler[P, D].
type typedResource[P, D any] struct {
	lazy   *lazy[P, D] // nil if the handler is there from the start
	opened atomic.Pointer[opened[P, D]]
	props  *properties.Schema
	data   *properties.DataSchema
}

// opened is a handler, and what it can do.
type opened[P, D any] struct {
	Handler[P, D]
	finder Finder[P] // nil if it has no Find
	makes  bool
}

func open[P, D any](h Handler[P, D]) *opened[P, D] {
	finder, _ := h.(Finder[P])
	_, makesNothing := h.(interface{ makesNothing() })
	return &opened[P, D]{h, finder, !makesNothing}
}

var errNilHandler = errors.New("the handler is nil: pass a value that has Create, Update and Delete")

func isNil(h any) bool {
	v := reflect.ValueOf(h)
	canBeNil := v.Kind() == reflect.Pointer || v.Kind() == reflect.Func
	return h == nil || canBeNil && v.IsNil()
}

// newTypedResource returns an error, with what to change, if the handler cannot work.
func newTypedResource[P, D any](h Handler[P, D]) (*typedResource[P, D], error) {
	if isNil(h) {
		return nil, errNilHandler
	}
	t := new(typedResource[P, D])
	handler := reflect.TypeOf(h)
	if t.lazy, _ = h.(*lazy[P, D]); t.lazy == nil {
		t.opened.Store(open(h))
	} else if handler = t.lazy.handler; t.lazy.opener == nil {
		return nil, errors.New("the function passed to Lazy is nil: pass one that returns the handler")
	}
	var errs []error
	var err error
	if t.props, err = properties.SchemaOf(reflect.TypeFor[P]()); err != nil {
		errs = append(errs, err)
	}
	if t.data, err = properties.DataSchemaOf(reflect.TypeFor[D]()); err != nil {
		errs = append(errs, err)
	}
	if finder := reflect.TypeFor[Finder[P]](); !handler.Implements(finder) {
		errs = append(errs, checkFind(handler, finder))
	}
	if p := reflect.TypeFor[*P](); !p.Implements(reflect.TypeFor[Validator]()) {
		errs = append(errs, checkValidate(p, reflect.TypeFor[Validator]()))
	}
	return t, errors.Join(errs...)
}

func (t *typedResource[P, D]) isOpen() bool { return t.opened.Load() != nil }

func (t *typedResource[P, D]) open(ctx context.Context) error {
	h, err := t.lazy.get(ctx)
	if err != nil {
		return err
	}
	t.opened.Store(open(h))
	return nil
}

func (t *typedResource[P, D]) read(m properties.Member) *decoded {
	p := new(P)
	r := &decoded{value: p, Result: t.props.DecodeMember(m, p)}
	r.identity = t.props.Identity(p)
	r.identityKnown = t.props.IdentityReadable(r.Result)
	r.secrets = t.props.MemberSecrets(m, p)
	if r.Missing {
		r.err = errors.New("the event has no such properties")
	}
	for _, e := range r.Bad {
		r.err = errors.Join(r.err, propertyError(e))
	}
	return r
}

func (t *typedResource[P, D]) runsUserCode() bool { return t.props.RunsUserCode() }

func propertyError(e *properties.Error) error {
	if e.Path == "" {
		return e.Err
	}
	return &PropertyError{Path: e.Path, Err: e.Err}
}

func (t *typedResource[P, D]) properties(p *decoded) P { return *p.value.(*P) }

func (t *typedResource[P, D]) create(ctx context.Context, r Request, p *decoded, replaces string, created *createdID) (output, error) {
	req := &CreateRequest[P]{Request: r, Properties: t.properties(p), Replaces: replaces, dispatched: created}
	var data D
	_, err := hook.Do(ctx, hook.Call{Method: "Create", Created: created.get}, func() (_ string, err error) {
		data, err = t.opened.Load().Create(ctx, req)
		return "", err
	})
	return t.output(data, err)
}

func (t *typedResource[P, D]) update(ctx context.Context, r Request, u updateCall) (output, error) {
	req := &UpdateRequest[P]{Request: r, PhysicalID: u.id, Properties: t.properties(u.properties), IdentityChanged: u.changed, Adopted: u.adopted}
	if u.old != nil {
		req.OldProperties, req.OldPropertiesErr = t.properties(u.old), u.old.err
	}
	if u.adopted {
		req.OldPropertiesErr = errAdopted
	}
	var data D
	_, err := hook.Do(ctx, hook.Call{Method: "Update", PhysicalID: u.id}, func() (_ string, err error) {
		data, err = t.opened.Load().Update(ctx, req)
		return "", err
	})
	return t.output(data, err)
}

// output flattens Data, in the goroutine of the call that returned it:
// MarshalJSON is the user's code too.
func (t *typedResource[P, D]) output(data D, err error) (output, error) {
	o := output{succeeded: err == nil, secrets: t.data.Secrets(data)}
	if err != nil {
		return o, err
	}
	o.noEcho = t.data.HasSecret()
	if o.attributes, err = properties.Flatten(data); err != nil {
		return o, Errorf(CodeInternalFailure, "Data: %w", err)
	}
	return o, nil
}

func (t *typedResource[P, D]) delete(ctx context.Context, r Request, id string, p *decoded) error {
	_, err := hook.Do(ctx, hook.Call{Method: "Delete", PhysicalID: id}, func() (string, error) {
		return "", t.opened.Load().Delete(ctx, &DeleteRequest[P]{Request: r, PhysicalID: id, Properties: t.properties(p), PropertiesErr: p.err})
	})
	return err
}

func (t *typedResource[P, D]) find(ctx context.Context, r Request, at string, p *decoded) (string, error) {
	id, err := hook.Do(ctx, hook.Call{Method: "Find", PhysicalID: at}, func() (string, error) {
		return t.opened.Load().finder.Find(ctx, &FindRequest[P]{Request: r, PhysicalID: at, Properties: t.properties(p), PropertiesErr: p.err})
	})
	if CodeOf(err) == CodeNotFound {
		return "", nil
	}
	return id, err
}

func (t *typedResource[P, D]) finds() bool { return t.opened.Load().finder != nil }

func (t *typedResource[P, D]) makes() bool { return t.opened.Load().makes }

// An optional method that misses its interface would never be called, and Go would not say so.
// checkFind returns an error if t, which does not implement finder, has a method Find that is meant
// to: its signature mentions a type of finder's package.
//
// The names are constants, since a look-up by a variable one makes the linker
// keep every method of every type.
func checkFind(t, finder reflect.Type) error {
	got, ok := t.MethodByName("Find")
	if !ok {
		return nil
	}
	want, _ := finder.MethodByName("Find")
	return checkSignature(t, got, want, finder)
}

// checkValidate is checkFind for Validate.
func checkValidate(t, validator reflect.Type) error {
	got, ok := t.MethodByName("Validate")
	if !ok {
		return nil
	}
	want, _ := validator.MethodByName("Validate")
	return checkSignature(t, got, want, validator)
}

func checkSignature(t reflect.Type, got, want reflect.Method, iface reflect.Type) error {
	if !mentions(got.Type, t, iface.PkgPath()) {
		return nil
	}
	withoutReceiver := strings.NewReplacer("func("+t.String()+", ", "func(", "func("+t.String()+")", "func()")
	return fmt.Errorf("%s has a method %s that would never be called: it is %s, make it %s",
		t, got.Name, withoutReceiver.Replace(got.Type.String()), want.Type)
}

func mentions(method, receiver reflect.Type, pkgPath string) bool {
	for t := range method.Ins() {
		if isOfPackage(t, pkgPath) && t != receiver {
			return true
		}
	}
	for t := range method.Outs() {
		if isOfPackage(t, pkgPath) {
			return true
		}
	}
	return false
}

func isOfPackage(t reflect.Type, pkgPath string) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == pkgPath
}
