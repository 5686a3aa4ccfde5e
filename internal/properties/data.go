package properties

import (
	"errors"
	"fmt"
	"reflect"
)

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
