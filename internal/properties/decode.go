package properties

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// A decoder reads one document into one value.
type decoder struct {
	doc      *document
	path     path
	identity []identityField
	members  []member // of the objects that the path leads through
	memory   int      // what was made so far, in bytes

	found struct {
		bad, required, unknown problems
		inIdentity             bool // something bad is
	}
}

// maxMemory bounds the bytes allocated for one event's properties. An element of a list
// may be two bytes in the event, and a large type with long defaults in memory.
const maxMemory = 8 << 20

var errTooMuch = errors.New("the properties are too large to be read: more than " + strconv.Itoa(maxMemory>>20) + " MB are needed up to here")

// reserve counts bytes against maxMemory, and reports whether they fit.
func (d *decoder) reserve(bytes int) bool {
	if d.memory > maxMemory {
		return false
	}
	d.memory += bytes
	return d.memory <= maxMemory || d.fail(errTooMuch)
}

// fail records an error at the current path. It returns false: nothing was read.
func (d *decoder) fail(err error) bool {
	d.found.bad.add(d.path, err)
	for i := range d.identity {
		d.found.inIdentity = d.found.inIdentity || d.identity[i].overlaps(d.path)
	}
	return false
}

func (d *decoder) expected(s shape, n int) bool {
	return d.fail(fmt.Errorf("%s was expected, but %s came", s, d.doc.kind(n)))
}

// value reads node n, which is not null, into v, which is zero. It returns
// false, and leaves v zero, if nothing of it could be read.
func (d *decoder) value(n int, p *plan, v reflect.Value) bool {
	if len(d.path) > maxDepth {
		return d.fail(errTooDeep)
	}
	// A list or an object is not taken for the other, nor for a scalar.
	k := d.doc.kind(n)
	wantsObject := p.shape == asObject || p.shape == asMapping
	wantsList := p.shape == asList || p.shape == asArray
	isNoObject := wantsObject && k != object
	isNoList := wantsList && k != list
	if isNoObject || isNoList {
		return d.expected(p.shape, n)
	}
	// Each shape that may be a list or an object has its own reader.
	switch p.shape {
	case asPointer:
		if !d.reserve(int(p.elem.t.Size())) {
			return false
		}
		e := reflect.New(p.elem.t)
		if !d.value(n, p.elem, e.Elem()) {
			return false
		}
		v.Set(e)
		return true
	case asObject:
		d.object(n, p, v)
		return true
	case asMapping:
		d.mapping(n, p, v)
		return true
	case asArray:
		return d.array(n, p, v)
	case asList:
		d.list(n, p, v)
		return true
	case asBytes:
		if k == list { // of numbers, which encoding/json takes for bytes
			d.list(n, p, v)
			return true
		}
	case asAny:
		return d.setAny(n, v)
	case asOwnJSON:
		return d.unmarshalJSON(n, p, v)
	}
	// The rest are scalars.
	if k == list || k == object {
		return d.expected(p.shape, n)
	}
	return d.scalar(n, p, v)
}

// A member is the value of a field in an object.
type member struct {
	name, value int // nodes; value 0: the object does not have it
	exact       bool
}

// object reads a struct. If two members mean the same field, the one with the field's
// exact name wins, else the last.
func (d *decoder) object(n int, p *plan, v reflect.Value) {
	// There is a member for each field, without an allocation if they are few.
	var few [24]member
	members := few[:]
	if n := len(p.fields); n > len(few) {
		above := len(d.members)
		d.members = append(d.members, make([]member, n)...)
		members = d.members[above:]
		defer func() { d.members = d.members[:above] }()
	}

	// Which member means which field?
	for c := n + 1; c < d.doc.next(n); c = d.doc.next(c + 1) {
		i, exact, ok := p.lookup(d.doc.bytes(c))
		if !ok {
			d.unknown(c, p)
			continue
		}
		m := &members[i]
		isWorse := m.exact && !exact
		if isWorse {
			d.unknown(c, p)
			continue
		}
		isBetter := exact && !m.exact
		if m.value != 0 && isBetter {
			d.unknown(m.name, p)
		}
		*m = member{c, c + 1, exact}
	}

	// Each field is read, or set to what it is if it is absent.
	for i := range p.fields {
		f, m := &p.fields[i], members[i]
		if m.value != 0 && d.doc.kind(m.value) != null {
			d.path.enter(f.name)
			d.value(m.value, f.plan, f.make(v))
			d.path.leave()
			continue
		}
		if f.tag.required {
			d.path.enter(f.name)
			d.found.required.add(d.path, errRequired)
			d.path.leave()
		}
		if fv, ok := f.in(v); ok {
			d.setAbsent(f, fv)
		}
	}
}

var errRequired = errors.New("is required, but absent: set it in the template")

// unknown records a member that the struct has no field for, unless it is CloudFormation's own.
func (d *decoder) unknown(name int, p *plan) {
	if len(d.path) == 0 && forCloudFormation(d.doc.bytes(name)) {
		return
	}
	s := d.doc.text(name)
	d.path.enter(s)
	d.found.unknown.add(d.path, &unknownError{s, p})
	d.path.leave()
}

// forCloudFormation reports whether a top-level property is one of
// AWS::CloudFormation::CustomResource, which CloudFormation sends along.
func forCloudFormation(name []byte) bool {
	return string(name) == "ServiceToken" || string(name) == "ServiceTimeout"
}

// list reads a slice. It leaves out elements that are null or cannot be read, since a
// zero value in their place would look like a value.
func (d *decoder) list(n int, p *plan, v reflect.Value) {
	const atOnce = 64 << 10 // bytes made before it is known whether they are needed
	count, size := 0, int(p.elem.t.Size())
	for c := n + 1; c < d.doc.next(n) && count*size < atOnce; c = d.doc.next(c) {
		count++
	}
	v.Set(reflect.MakeSlice(p.t, 0, count))

	// An element that cannot be read leaves its place to the next one.
	used := 0
	for i, c := range d.doc.elements(n) {
		if d.doc.kind(c) == null {
			continue
		}
		d.path.enterIndex(i)
		if used == v.Len() && d.reserve(size) {
			v.Grow(1)
			v.SetLen(used + 1)
		}
		if used < v.Len() && d.value(c, p.elem, v.Index(used)) {
			used++
		}
		d.path.leave()
	}
	v.SetLen(used)
}

// array reads an array. Elements that cannot be read, or are absent at the end, are zero.
func (d *decoder) array(n int, p *plan, v reflect.Value) bool {
	used := 0
	for i, c := range d.doc.elements(n) {
		if d.doc.kind(c) == null {
			continue
		}
		if used == p.t.Len() {
			v.SetZero()
			return d.fail(fmt.Errorf("the list is too long: at most %d elements are allowed", used))
		}
		d.path.enterIndex(i)
		d.value(c, p.elem, v.Index(used))
		d.path.leave()
		used++
	}
	return true
}

func (d *decoder) mapping(n int, p *plan, v reflect.Value) {
	m := reflect.MakeMap(p.t)
	// One key and one element serve all members: the map copies them.
	key, elem := reflect.New(p.t.Key()).Elem(), reflect.New(p.elem.t).Elem()
	for name, value := range d.doc.members(n) {
		if len(d.path) == 0 && forCloudFormation(d.doc.bytes(name)) {
			continue
		}
		d.path.enter(d.doc.text(name))
		key.SetZero()
		elem.SetZero()
		if d.reserve(int(p.t.Key().Size()+p.elem.t.Size())) && d.key(name, p, key) {
			if d.doc.kind(value) == null {
				m.SetMapIndex(key, reflect.Value{}) // the last of a name counts
			} else if d.value(value, p.elem, elem) {
				m.SetMapIndex(key, elem)
			}
		}
		d.path.leave()
	}
	v.Set(m)
}

func (d *decoder) key(name int, p *plan, key reflect.Value) bool {
	switch p.key {
	case asText:
		key.SetString(d.doc.text(name))
		return true
	case asOwnText:
		if !d.unmarshalText(name, p.t.Key(), key) {
			return false
		}
		if !key.Comparable() {
			return d.fail(fmt.Errorf("as a key, is not a comparable %s", p.t.Key()))
		}
		return true
	}
	if err := setInteger(key, d.doc.bytes(name)); err != nil {
		return d.fail(fmt.Errorf("as a key, %w", err))
	}
	return true
}
