package schema

import (
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// data describes D: what a template reads with Fn::GetAtt.
func (b *builder) data(t properties.Type) error {
	b.document.attributes = []string{}
	b.attributes(t, "", nil)
	slices.Sort(b.document.attributes)
	if t.Form() != properties.Object {
		return nil // a map, whose attributes have no names that are known
	}
	for _, f := range t.Fields() {
		if _, isSet := b.document.Properties[f.Name]; isSet {
			continue // a property that a template sets is not one that it can only read
		}
		var err error
		if b.document.Properties[f.Name], err = b.field(f, true); err != nil {
			return err
		}
		b.readOnly(f.Type, []string{f.Name}, nil)
	}
	return nil
}

// readOnly collects the pointers to what a template can only read.
func (b *builder) readOnly(t properties.Type, at []string, open []reflect.Type) {
	fields := t.Form() == properties.Object && !slices.Contains(open, t.Go())
	if !fields {
		b.document.ReadOnly = append(b.document.ReadOnly, pointer(at...))
		return
	}
	open = append(slices.Clip(open), t.Go())
	for _, f := range t.Fields() {
		b.readOnly(f.Type, append(slices.Clip(at), f.Name), open)
	}
}

// attributes collects the names that Fn::GetAtt may ask for: those of nested
// objects with dots, and * where any may follow.
func (b *builder) attributes(t properties.Type, prefix string, open []reflect.Type) {
	d := b.document
	switch t.Form() {
	case properties.Object:
		if slices.Contains(open, t.Go()) {
			d.attributes = append(d.attributes, prefix+"*")
			return
		}
		open = append(slices.Clip(open), t.Go())
		for _, f := range t.Fields() {
			b.attributes(f.Type, prefix+f.Name+".", open)
		}
	case properties.Mapping:
		d.attributes = append(d.attributes, prefix+"*")
	case properties.Anything:
		if prefix != "" {
			d.attributes = append(d.attributes, strings.TrimSuffix(prefix, "."))
		}
		d.attributes = append(d.attributes, prefix+"*")
	default:
		d.attributes = append(d.attributes, strings.TrimSuffix(prefix, "."))
	}
}
