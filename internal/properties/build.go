package properties

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A builder makes the plans of a type and of all types below it, and collects their errors.
type builder struct {
	data  bool // for Data, which is only written: any type is allowed, and only the secret tag has an effect
	plans map[reflect.Type]*plan
	order []*plan
	errs  []error
}

// build returns the plan of t; where names t for a developer.
func build(t reflect.Type, where string, data bool) (*plan, []error) {
	b := &builder{data: data, plans: map[reflect.Type]*plan{}}
	p := b.plan(t, where)
	// Plans refer to each other in cycles: what is in one is known once all are complete.
	for _, q := range b.order {
		q.secrets = q.hasField(func(t tag) bool { return t.secret })
		q.createOnly = q.hasField(func(t tag) bool { return t.createOnly })
		q.runsUserCode = q.has(func(r *plan) bool { return r.shape == asOwnText || r.shape == asOwnJSON })
	}
	if !data {
		b.checkReferences()
	}
	// A default is read with the plans, which a mistake in the type leaves incomplete.
	if !data && len(b.errs) == 0 {
		b.defaults()
	}
	return p, b.errs
}

// fail records an error once, since a struct may be embedded in several.
func (b *builder) fail(where, format string, args ...any) {
	err := fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...))
	if !slices.ContainsFunc(b.errs, func(known error) bool { return known.Error() == err.Error() }) {
		b.errs = append(b.errs, err)
	}
}

// checkReferences refuses the tag reference on what holds no text, where it would have no effect.
func (b *builder) checkReferences() {
	for _, p := range b.order {
		for i := range p.fields {
			if f := &p.fields[i]; f.tag.reference && !f.plan.textual() {
				b.fail(f.String(), "reference in the cfn tag is for a string, a type with an UnmarshalText method, or a list or map of these, since a dynamic reference is a text: remove it, or write another type")
			}
		}
	}
}

func (b *builder) plan(t reflect.Type, where string) *plan {
	if p, ok := b.plans[t]; ok {
		return p
	}
	p := &plan{t: t, dataOnly: b.data}
	b.plans[t] = p // before its fields are: they may be of the same type
	b.order = append(b.order, p)

	// What the type says of itself comes first.
	if own := b.unmarshaler(t); own != asNothing {
		p.shape = own
		b.checkTagsInside(t)
		return p
	}

	// Scalars come as text, and are read by their kind.
	switch t.Kind() {
	case reflect.Bool:
		p.shape = asBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.shape = asInt
		if t == durationType {
			p.shape = asDuration
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.shape = asUint
	case reflect.Float32, reflect.Float64:
		p.shape = asFloat
	case reflect.String:
		p.shape = asText
		if t == jsonNumberType {
			p.shape = asNumber
		}

	// Others are made of other types.
	case reflect.Pointer:
		b.pointer(p, where)
	case reflect.Slice:
		p.shape = asList
		if t.Elem().Kind() == reflect.Uint8 {
			p.shape = asBytes
		}
		p.elem = b.plan(t.Elem(), where)
	case reflect.Array:
		p.shape = asArray
		p.elem = b.plan(t.Elem(), where)
	case reflect.Map:
		b.mapping(p, where)
	case reflect.Struct:
		b.object(p)

	// Of an interface only any can hold whatever comes.
	case reflect.Interface:
		p.shape = asAny
		if t.NumMethod() > 0 {
			b.unsupported(p, where, "no property can be read into the interface %s: write any, or a concrete type", t)
		}
	default:
		b.unsupported(p, where, "no property can be read into a %s (%s): write another type, or leave the field out with json:\"-\"", t.Kind(), t)
	}
	return p
}

func (b *builder) unsupported(p *plan, where, format string, args ...any) {
	p.shape = asNothing
	if !b.data {
		b.fail(where, format, args...)
	}
}

// unmarshaler returns how a type unmarshals itself, or asNothing. For Data it returns
// asNothing, so that secret tags are found also in types that marshal themselves.
func (b *builder) unmarshaler(t reflect.Type) shape {
	if b.data || t.Kind() == reflect.Interface {
		return asNothing
	}
	switch ptr := reflect.PointerTo(t); {
	case ptr.Implements(jsonReader):
		return asOwnJSON
	case ptr.Implements(textReader):
		return asOwnText
	}
	return asNothing
}

// checkTagsInside refuses cfn tags in a type that unmarshals itself.
func (b *builder) checkTagsInside(t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	for sf := range t.Fields() {
		if hasTag(sf) {
			b.fail(t.String()+"."+sf.Name, "the cfn tag has no effect in a type with an UnmarshalJSON or UnmarshalText method: tag the property that has this type")
		}
	}
}

func (b *builder) pointer(p *plan, where string) {
	p.shape = asPointer
	seen := map[reflect.Type]bool{}
	for t := p.t; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			b.unsupported(p, where, "%s points to itself and holds nothing: write another type", p.t)
			return
		}
		seen[t] = true
	}
	p.elem = b.plan(p.t.Elem(), where)
}

func (b *builder) mapping(p *plan, where string) {
	p.shape = asMapping
	key := p.t.Key()
	switch kind := key.Kind(); {
	case b.data: // encoding/json judges its keys
	case reflect.PointerTo(key).Implements(textReader):
		p.key = asOwnText
	case kind == reflect.String:
		p.key = asText
	case reflect.Int <= kind && kind <= reflect.Int64:
		p.key = asInt
	case reflect.Uint <= kind && kind <= reflect.Uintptr:
		p.key = asUint
	default:
		b.unsupported(p, where, "the keys of %s cannot be property names: write a string, an integer or a type with an UnmarshalText method", p.t)
		return
	}
	p.elem = b.plan(p.t.Elem(), where)
}

func (b *builder) object(p *plan) {
	p.shape = asObject
	var passed []skippedField
	p.fields, passed = fieldsOf(p.t)
	for _, u := range passed {
		if hasTag(u.sf) {
			b.fail(u.owner.String()+"."+u.sf.Name, "the cfn tag has no effect, since %s", u.reason)
		}
	}
	p.byName = make(map[string]int, len(p.fields))
	for i := range p.fields {
		f := &p.fields[i]
		p.byName[f.name] = i
		p.sorted = append(p.sorted, i)
		var err error
		if f.tag, err = parseTag(f.sf.Tag); err != nil {
			b.fail(f.String(), "%w", err)
		}
		if !b.data {
			if err := checkSettable(p.t, f); err != nil {
				b.fail(f.String(), "%w", err)
			}
		}
		f.plan = b.plan(f.sf.Type, f.String())
	}
	slices.SortFunc(p.sorted, func(i, j int) int { return strings.Compare(p.fields[i].name, p.fields[j].name) })
}

// checkSettable refuses fields that Go does not let other packages set.
func checkSettable(t reflect.Type, f *field) error {
	if !f.sf.IsExported() {
		return errors.New("it is not exported: write its name with a capital letter")
	}
	// On the way to the field, each embedded pointer that is nil has to be set.
	for _, x := range f.index[:len(f.index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		sf := t.Field(x)
		if sf.Type.Kind() == reflect.Pointer && !sf.IsExported() {
			return fmt.Errorf("it is in the embedded %s, which cannot be made: embed %s by value, or export it", sf.Type, sf.Type.Elem())
		}
		t = sf.Type
	}
	return nil
}
