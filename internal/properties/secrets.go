package properties

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Secrets returns every text that a property tagged secret holds: in raw, as
// it came, also where it does not fit its type; and in v, a P or *P as
// decoded, where it may have another form. None is empty, and none comes twice.
func (s *Schema) Secrets(raw json.RawMessage, v any) []string {
	if !s.plan.secrets {
		return nil
	}
	doc, _ := parseDocument(raw) // what cannot be read holds none
	return s.secretsIn(doc, v)
}

// MemberSecrets is [Schema.Secrets] of properties that have been read as a part of their event.
func (s *Schema) MemberSecrets(m Member, v any) []string {
	if !s.plan.secrets {
		return nil
	}
	return s.secretsIn(m.document(), v)
}

func (s *Schema) secretsIn(doc *document, v any) []string {
	c := collector{}
	if doc != nil {
		c.addJSON(doc, doc.root, s.plan)
	}
	c.addValue(s.plan, s.plan.valueOf(v), 0)
	return c.sorted()
}

// A collector gathers secrets.
type collector struct {
	found []string
	seen  map[visit]bool
}

// A visit is to what a pointer, map or slice refers to: Data may refer to itself.
type visit struct {
	t      reflect.Type
	at     uintptr
	len    int
	secret bool
}

func (c *collector) visited(v reflect.Value, secret bool) bool {
	at := visit{t: v.Type(), secret: secret}
	switch v.Kind() {
	case reflect.Slice:
		at.len = v.Len()
		fallthrough
	case reflect.Pointer, reflect.Map:
		at.at = v.Pointer()
	default:
		return false // it refers to nothing, so that nothing leads back to it
	}
	if c.seen[at] {
		return true
	}
	if c.seen == nil {
		c.seen = map[visit]bool{}
	}
	c.seen[at] = true
	return false
}

func (c *collector) add(s string) {
	if s != "" {
		c.found = append(c.found, s)
	}
}

func (c *collector) sorted() []string {
	slices.Sort(c.found)
	return slices.Compact(c.found)
}

// addJSON adds the secret properties in a JSON value. A value of another shape than its
// type's counts as secret altogether.
func (c *collector) addJSON(doc *document, n int, p *plan) {
	p = p.pointee()
	switch k := doc.kind(n); {
	case p.shape == asObject && k == object:
		for name, value := range doc.members(n) {
			i, _, ok := p.lookup(doc.bytes(name))
			if !ok {
				continue
			}
			if f := &p.fields[i]; f.tag.secret {
				c.addScalars(doc, value)
			} else if f.plan.secrets {
				c.addJSON(doc, value, f.plan)
			}
		}
	case p.shape == asMapping && k == object:
		for _, value := range doc.members(n) {
			c.addJSON(doc, value, p.elem)
		}
	case (p.shape == asList || p.shape == asArray) && k == list:
		for _, value := range doc.elements(n) {
			c.addJSON(doc, value, p.elem)
		}
	default:
		c.addScalars(doc, n)
	}
}

// addScalars adds all strings and numbers at or below a node, but not the names of members.
func (c *collector) addScalars(doc *document, n int) {
	switch doc.kind(n) {
	case text, number:
		c.add(doc.text(n))
	case list:
		for _, value := range doc.elements(n) {
			c.addScalars(doc, value)
		}
	case object:
		for _, value := range doc.members(n) {
			c.addScalars(doc, value)
		}
	}
}

// addValue adds the secret fields in a Go value.
func (c *collector) addValue(p *plan, v reflect.Value, depth int) {
	mayHold := v.IsValid() && p.secrets && depth <= maxDepth
	if !mayHold || c.visited(v, false) {
		return
	}
	switch p.shape {
	case asPointer:
		if !v.IsNil() {
			c.addValue(p.elem, v.Elem(), depth+1)
		}
	case asList, asArray:
		for i := range v.Len() {
			c.addValue(p.elem, v.Index(i), depth+1)
		}
	case asMapping:
		for _, elem := range entries(v) {
			c.addValue(p.elem, elem, depth+1)
		}
	case asObject:
		for i := range p.fields {
			f := &p.fields[i]
			fv, ok := f.in(v)
			if !ok || fv.IsZero() { // absent, most often: "0" is not a secret then
				continue
			}
			if f.tag.secret {
				c.addMarshaled(fv)
				c.addStrings(fv, 0)
			} else {
				c.addValue(f.plan, fv, depth+1)
			}
		}
	}
}

// addMarshaled adds the scalars in the JSON of a secret value.
func (c *collector) addMarshaled(v reflect.Value) {
	if !v.CanInterface() {
		return
	}
	if raw, err := marshal(v.Interface()); err == nil {
		if doc, err := parseDocument(raw); err == nil {
			c.addScalars(doc, 0)
		}
	}
}

// addStrings adds the strings and numbers in a secret value as fmt prints them, whatever
// its type marshals: types for secrets often marshal nothing.
func (c *collector) addStrings(v reflect.Value, depth int) {
	if depth > maxDepth || c.visited(v, true) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		c.add(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c.addStrings(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			c.addStrings(field, depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			// A log may show the bytes as they are, or as encoding/json writes them.
			b := make([]byte, v.Len())
			for i := range b {
				b[i] = byte(v.Index(i).Uint()) // reflect.Copy refuses unexported fields
			}
			c.add(string(b))
			c.add(base64.StdEncoding.EncodeToString(b))
			return
		}
		for i := range v.Len() {
			c.addStrings(v.Index(i), depth+1)
		}
	case reflect.Map:
		for _, elem := range entries(v) {
			c.addStrings(elem, depth+1)
		}
	default:
		if !v.CanInterface() { // what a time.Time is made of
			return
		}
		// JSON that is decoded into any makes a float of every number.
		switch {
		case v.CanInt():
			c.add(fmt.Sprint(v)) // 1m30s of a time.Duration
			c.add(fmt.Sprint(float64(v.Int())))
		case v.CanUint():
			c.add(fmt.Sprint(float64(v.Uint())))
		case v.CanFloat():
			c.add(fmt.Sprint(v)) // 1.2e+06
		}
	}
}
