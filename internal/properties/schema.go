package properties

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// A Schema describes the properties of a resource by a Go type. It is immutable and
// safe for concurrent use.
type Schema struct {
	plan        *plan
	identity    []identityField
	ownIdentity bool // writing the identity calls methods of the user's types
}

// schemas holds each Schema that was made, by its type, and each DataSchema by its: the test kit
// makes thousands of processes of one handler.
var schemas, dataSchemas sync.Map

// SchemaOf returns the schema of a struct, or of a map with string-like keys. Its error joins all
// mistakes in the type; each names type and field, and says what to write instead.
func SchemaOf(t reflect.Type) (*Schema, error) {
	if s, ok := schemas.Load(t); ok {
		return s.(*Schema), nil
	}
	isNamedMap := t != nil && t.Kind() == reflect.Map && stringLike(t.Key(), textReader)
	switch {
	case t == nil:
		return nil, errors.New("properties are read into a struct or a map: an interface type is neither")
	case t.Kind() != reflect.Struct && !isNamedMap:
		return nil, fmt.Errorf("properties are read into a struct, or a map with strings as keys: %s is neither", t)
	case reflect.PointerTo(t).Implements(jsonReader), reflect.PointerTo(t).Implements(textReader):
		return nil, fmt.Errorf("%s has an UnmarshalJSON or UnmarshalText method, own or embedded, which would hide its properties: give the method to the type of a property", t)
	}
	p, errs := build(t, t.String(), false)
	identity, more := identityOf(p)
	if errs = append(errs, more...); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	s := &Schema{
		plan:        p,
		identity:    identity,
		ownIdentity: slices.ContainsFunc(identity, func(f identityField) bool { return f.plan().runsUserCode }),
	}
	schemas.Store(t, s)
	return s, nil
}

// RunsUserCode reports whether reading properties calls methods of the user's types.
func (s *Schema) RunsUserCode() bool { return s.plan.runsUserCode }

// stringLike reports whether a key type is a string, or has a method to be one.
func stringLike(t, method reflect.Type) bool {
	return t.Kind() == reflect.String || reflect.PointerTo(t).Implements(method)
}

// A Result says what Decode met. Of each kind of error the first twenty are kept, sorted by path;
// another at the end, without a path, says how many more there are.
type Result struct {
	// Missing means that the properties are absent, null, or no JSON object: nothing could be read.
	Missing bool
	// Bad are values that do not fit their type.
	Bad []*Error
	// Required are absent properties that are tagged required.
	Required []*Error
	// Unknown are properties that the type does not know. Each error names the
	// nearest one that it knows, or, if none is near, all.
	Unknown []*Error
	// Unresolved are values with a dynamic reference, anywhere in a text, that are not tagged
	// reference: the handler would get the reference's text. A property may be both here and in Bad.
	Unresolved []*Error

	identityUnknown bool // something bad is in a createOnly property
}

// Decode reads an event's ResourceProperties into the struct or map that into points to, which must
// be of the schema's type. What was there before is gone. Everything that can be read is set; what
// cannot be is zero; what is absent, or null, has its default. An element of a list or map of which
// nothing can be read is left out.
//
// ServiceToken and ServiceTimeout, which CloudFormation sends along, are
// dropped unless the type declares them.
func (s *Schema) Decode(raw json.RawMessage, into any) Result {
	doc, err := readObject(raw)
	return s.decode(doc, err, into)
}

// DecodeMember is [Schema.Decode] of properties that have been read as a part of their event.
func (s *Schema) DecodeMember(m Member, into any) Result {
	doc, err := objectIn(m.document())
	return s.decode(doc, err, into)
}

// decode decodes doc, which is nil if there are no properties. err is the reason, or nil.
func (s *Schema) decode(doc *document, err error, into any) Result {
	var res Result
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != s.plan.t {
		return Result{Missing: true, Bad: []*Error{{Err: fmt.Errorf("properties of %s cannot be read into a %T", s.plan.t, into)}}}
	}
	v = v.Elem()
	v.SetZero()

	if doc == nil {
		doc, res.Missing = emptyObject, true // what is absent has its default
	}
	d := decoder{doc: doc, identity: s.identity}
	if s.plan.shape == asMapping {
		d.mapping(doc.root, s.plan, v)
	} else {
		d.object(doc.root, s.plan, v)
	}
	// If nothing could be read, the reason is all there is to say: nobody forgot a property.
	if err != nil {
		d.found.bad, d.found.required = problems{first: []*Error{{Err: err}}}, problems{}
	}
	// A type's own method may refuse to write what it has read.
	if s.ownIdentity {
		for _, err := range s.identityErrors(v) {
			d.found.bad.first = append(d.found.bad.first, err)
			d.found.inIdentity = true
		}
	}
	res.identityUnknown = d.found.inIdentity
	res.Bad, res.Required, res.Unknown = d.found.bad.errors(), d.found.required.errors(), d.found.unknown.errors()
	unresolved := unresolved(doc, s.plan)
	res.Unresolved = unresolved.errors()
	return res
}

// readObject indexes raw; it returns nil if that is empty, null or no object.
func readObject(raw []byte) (*document, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	doc, err := parseDocument(raw)
	if err != nil {
		return nil, err
	}
	return objectIn(doc)
}

// objectIn returns doc if it is an object; nil if it is nil, null or no object.
func objectIn(doc *document) (*document, error) {
	if doc == nil {
		return nil, nil
	}
	switch k := doc.kind(doc.root); k {
	case object:
		return doc, nil
	case null:
		return nil, nil
	default:
		return nil, fmt.Errorf("the properties must be an object, but %s came", k)
	}
}

// IdentityReadable reports whether the createOnly properties could all be read, so that
// [Schema.Identity] tells the resource from others. It could not be read if r is of missing
// properties, or if something is bad in a createOnly property or in what it is a part of.
func (s *Schema) IdentityReadable(r Result) bool {
	return !r.Missing && !r.identityUnknown
}

// A DataSchema describes a resource's Data, the attributes that Fn::GetAtt reads, by a
// Go type. It is immutable and safe for concurrent use.
type DataSchema struct {
	plan *plan
}

// DataSchemaOf returns the schema of a struct, a map with string-like keys, a pointer to one of
// these, or an interface. Of the cfn tags, only secret acts in Data, and it is not seen in values
// behind an interface. The error joins all mistakes in the type.
func DataSchemaOf(t reflect.Type) (*DataSchema, error) {
	if s, ok := dataSchemas.Load(t); ok {
		return s.(*DataSchema), nil
	}
	if t == nil {
		return nil, errors.New("Data has no type: write a struct, or a map with strings as keys")
	}
	inner := t
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	switch kind := inner.Kind(); {
	case kind == reflect.Struct:
	case kind == reflect.Map && stringLike(inner.Key(), textWriter):
	case kind == reflect.Interface && inner == t:
	default:
		return nil, fmt.Errorf("Data is a struct, or a map with strings as keys, since Fn::GetAtt reads it by names: %s is neither", t)
	}
	p, errs := build(t, t.String(), true)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	s := &DataSchema{p}
	dataSchemas.Store(t, s)
	return s, nil
}

// HasSecret reports whether some field is tagged secret: the answer then sets
// NoEcho, and CloudFormation masks all of its attributes in what it shows.
func (s *DataSchema) HasSecret() bool { return s.plan.secrets }

// Secrets returns every text that fields of v tagged secret hold; see [Schema.Secrets].
func (s *DataSchema) Secrets(v any) []string {
	c := collector{}
	p := s.plan.pointee()
	c.addValue(p, p.valueOf(v), 0)
	return c.sorted()
}
