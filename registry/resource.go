package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/redact"
)

// Identifier is the property that is a resource's primaryIdentifier: its
// physical ID, which Ref reads. The types of a [Resource] have no such field.
const Identifier = "PhysicalResourceId"

// A Resource is a [cfnresource.Handler] that can also read and list its resources,
// as the registry's contract demands. P and D are structs, and no two of their fields have
// the same name.
//
// # What differs from a custom resource
//
// CloudFormation itself keeps the identifier of a registered type, replaces a
// resource by a CREATE and a DELETE, and makes up no identifiers. So only a CREATE calls Find,
// and Update and Delete get the request's identifier.
//
// A resource is one object: the properties in P, the attributes in D, and [Identifier], the
// physical ID. No answer has a field tagged secret, except that an IN_PROGRESS repeats the
// request's properties: CloudFormation sends them with the callback.
//
// A CREATE of an existing thing fails with AlreadyExists. It adopts nothing, not even what bears the
// StableID: in a stack, that may be the resource that this one replaces. Find detects it or, without
// Find, Read. Only a callback of the same request continues with what exists, and, without a stack,
// the same request sent again, because its StableID depends on the request's token. If a
// CREATE fails, Find names what it may have made, and CloudFormation deletes that.
//
// An UPDATE fails with NotFound if Read does not find the resource, and with NotUpdatable if it
// changes a createOnly property. A DELETE fails with NotFound, too, but not in a stack: there
// NotFound would end the resource, and Read may not show yet what a failed CREATE has made.
//
// # Time
//
// After IN_PROGRESS, the next call is that of a custom resource's chain of invocations: Update with
// Adopted set if Create had called Created, else Create, Update or Delete again. If the service
// assigns the IDs, Create calls Created before it polls: the contract demands the identifier in
// every answer. A Create that names its resource by StableID calls Created, or leaves the StableID
// as its ID, as in a custom resource.
//
// A Create or Update has succeeded once Read shows the resource, and a Delete once
// Read does not. Until then the answer is IN_PROGRESS.
type Resource[P, D any] interface {
	cfnresource.Handler[P, D]
	// Read returns the present state of the resource req.PhysicalID. It uses that ID alone: an import
	// has nothing else. If the resource does not exist, Read returns an error with
	// cfnresource.CodeNotFound. The answer omits a property tagged secret, whatever Read returns.
	Read(ctx context.Context, req *ReadRequest) (Model[P, D], error)
	// List returns the physical IDs of the resources of this type in the account and region, a page
	// at a time. nextToken requests the next page; that of the last one is "".
	List(ctx context.Context, req *ListRequest) (physicalIDs []string, nextToken string, err error)
}

// A Model is the present state of a resource.
type Model[P, D any] struct {
	Properties P
	Data       D
}

// A ReadRequest asks for the state of the resource PhysicalID.
type ReadRequest struct {
	cfnresource.Request
	PhysicalID string
}

// A ListRequest asks for a page of the resources.
type ListRequest struct {
	cfnresource.Request
	NextToken  string          // of the page before, or ""
	Properties json.RawMessage // an object: what the LIST has, such as [Handlers].ListBy
	MaxResults int             // of the page, or 0: more are right, too
}

// Options change how a [Dispatcher] works.
type Options struct {
	// Logger gets a record for each event and each warning. If nil, records go to
	// the log group of the account that uses the type, with the credentials that
	// come for it; where CloudFormation sends none, to slog.Default().
	Logger *slog.Logger
	// Middleware is called around every call of Create, Update, Delete and Find.
	Middleware []cfnresource.Middleware
	// Schema returns the type's schema, as [Schema] writes it. The function then describes
	// itself in response to the payload {"cfnresource": "describe"}. Tools send that;
	// CloudFormation never does.
	Schema func() ([]byte, error)
}

// A Dispatcher stands between CloudFormation's registry and a [Resource]: pass it
// to lambda.Start. It is safe for concurrent use.
type Dispatcher struct {
	typeName string
	opts     Options
	res      resource
	inner    *cfnresource.Dispatcher
	err      error
	logs     guard.Log
	secrets  redact.Redactor // those that outlive a request
}

var typeNames = regexp.MustCompile(`^[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}$`)

// New returns a Dispatcher for the resource type typeName, such as
// Example::Web::Monitor. It never panics: [Dispatcher.Err] reports mistakes, and with one
// every request fails with InternalFailure.
func New[R Resource[P, D], P, D any](typeName string, r R, optFns ...func(*Options)) *Dispatcher {
	d := &Dispatcher{typeName: typeName}
	var errs []error
	for _, fn := range optFns {
		errs = append(errs, guard.Apply(&d.opts, fn))
	}
	if !typeNames.MatchString(typeName) {
		errs = append(errs, errTypeName(typeName))
	}
	t, err := newTyped[P, D](r)
	errs = append(errs, err)
	d.res = t
	if err == nil {
		d.inner = cfnresource.New(t.handler(r), d.inside)
		errs = append(errs, d.inner.Err())
	}
	d.err = errors.Join(errs...)
	return d
}

// Err reports mistakes in the resource, its types or the name of the type. It is for tests.
func (d *Dispatcher) Err() error { return d.err }

// A resource is a Resource whose types are forgotten.
type resource interface {
	// own splits what the registry sends as a resource into its identifier and its
	// properties, without the attributes.
	own(m members) (id string, props members)
	identity(props members) (text string, known bool)
	read(ctx context.Context, req *ReadRequest) (properties.Model, []string, error)
	finds() bool // it has Find
	list(ctx context.Context, req *ListRequest) (ids []string, next string, err error)
	// open returns the properties that hold no secret, as a Read of the same would have them.
	open(props members) properties.Model
	// echo returns a resource with the properties as they came where they mean the same.
	echo(props, seen members) members
	secrets(props members) []string
	// secretIn returns the names of the properties in which there is a secret.
	secretIn(props members) []string
}

type typed[P, D any] struct {
	Resource[P, D]
	props      *properties.Schema
	data       *properties.DataSchema
	attributes []string
}

func newTyped[P, D any](r Resource[P, D]) (*typed[P, D], error) {
	v := reflect.ValueOf(r)
	isNilPointer := v.Kind() == reflect.Pointer && v.IsNil()
	if !v.IsValid() || isNilPointer {
		return nil, errors.New("the resource is nil: pass a value that has Create, Read, Update, Delete and List")
	}
	if l, ok := any(r).(interface{ problem() error }); ok && l.problem() != nil {
		return nil, l.problem()
	}
	props, err := properties.SchemaOf(reflect.TypeFor[P]())
	data, dataErr := properties.DataSchemaOf(reflect.TypeFor[D]())
	if err = errors.Join(err, dataErr); err != nil {
		return nil, err
	}
	t := &typed[P, D]{r, props, data, data.Names()}

	// The registry keeps properties, attributes and the identifier in one object, so each needs a name of its own.
	var errs []error
	if len(props.Names()) == 0 {
		errs = append(errs, fmt.Errorf("%s names no properties, as the registry asks for: write a struct", reflect.TypeFor[P]()))
	}
	for _, name := range slices.Concat(props.Names(), t.attributes) {
		if name == Identifier {
			errs = append(errs, fmt.Errorf("%s is the identifier that the SDK adds: name the field differently", Identifier))
		}
	}
	for _, name := range t.attributes {
		if slices.Contains(props.Names(), name) {
			errs = append(errs, fmt.Errorf("%s is a property and an attribute: rename one, since a resource has both in one object", name))
		}
	}
	return t, errors.Join(errs...)
}

func (t *typed[P, D]) own(m members) (id string, props members) {
	props = members{}
	for name, value := range m {
		switch {
		case name == Identifier:
			_ = json.Unmarshal(value, &id) // what is no string is none
		case !slices.Contains(t.attributes, name):
			props[name] = value
		}
	}
	return id, props
}

func (t *typed[P, D]) identity(props members) (text string, known bool) {
	p := new(P)
	res := t.props.Decode(props.json(), p)
	return t.props.Identity(p), t.props.IdentityReadable(res)
}

func (t *typed[P, D]) read(ctx context.Context, req *ReadRequest) (properties.Model, []string, error) {
	var m Model[P, D]
	_, err := hook.Do(ctx, hook.Call{Method: "Read", PhysicalID: req.PhysicalID}, func() (_ string, err error) {
		m, err = t.Read(ctx, req)
		return "", err
	})
	secrets := slices.Concat(t.props.Secrets(nil, &m.Properties), t.data.Secrets(m.Data))
	if err != nil {
		return nil, secrets, err
	}
	out, err := t.props.Model(&m.Properties)
	if err != nil {
		return nil, secrets, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the properties that Read returned: %w", err)
	}
	attributes, err := t.data.Model(m.Data)
	if err != nil {
		return nil, secrets, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the Data that Read returned: %w", err)
	}
	maps.Copy(out, attributes)
	return out, secrets, nil
}

func (t *typed[P, D]) list(ctx context.Context, req *ListRequest) (ids []string, next string, err error) {
	_, err = hook.Do(ctx, hook.Call{Method: "List"}, func() (_ string, err error) {
		ids, next, err = t.List(ctx, req)
		return "", err
	})
	return ids, next, err
}

func (t *typed[P, D]) open(props members) properties.Model {
	p := new(P)
	t.props.Decode(props.json(), p)
	m, _ := t.props.Model(p) // nil if they cannot be written
	return m
}

func (t *typed[P, D]) echo(props, seen members) members {
	return members(t.props.Echo(props.json(), properties.Model(seen)))
}

func (t *typed[P, D]) secrets(props members) []string {
	p := new(P)
	raw := props.json()
	t.props.Decode(raw, p)
	return t.props.Secrets(raw, p)
}

func (t *typed[P, D]) secretIn(props members) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if len(t.secrets(members{name: props[name]})) > 0 {
			names = append(names, name)
		}
	}
	return names
}
