package properties

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Echo returns seen, a resource as it is, with what came of its properties in place of
// what means the same, at any depth: who sent 60m gets no 1h back, and who sent "" gets
// that. What is secret stays out.
func (s *Schema) Echo(came json.RawMessage, seen Model) Model {
	v := reflect.New(s.plan.t)
	s.Decode(came, v.Interface())
	read, err := s.Model(v.Interface())
	if err != nil {
		return seen
	}
	e := echo(s.plan, tree(came), tree(mustMarshal(read)), tree(mustMarshal(seen)))
	out := Model{}
	if raw, err := marshal(e); err != nil || json.Unmarshal(raw, &out) != nil {
		return seen
	}
	return out
}

func mustMarshal(m Model) []byte {
	raw, _ := json.Marshal(m) // of JSON: it cannot fail
	return raw
}

// tree returns a value of JSON with its numbers as they are written, or nil.
func tree(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // what is no JSON is nothing
	return v
}

// echo returns seen, or what came where read, which is what came as it is read, means
// the same as seen.
func echo(p *plan, came, read, seen any) any {
	p = p.pointee()
	switch seen := seen.(type) {
	case map[string]any:
		came, ok := came.(map[string]any)
		if !ok {
			return seen
		}
		read, _ := read.(map[string]any)
		for name, value := range came {
			below, open := p.below(name)
			if e := echo(below, value, read[name], seen[name]); e != nil && open {
				seen[name] = e
			}
		}
		return seen
	case []any:
		came, _ := came.([]any)
		read, _ := read.([]any)
		if len(came) != len(seen) || len(read) != len(seen) {
			return seen
		}
		for i := range seen {
			seen[i] = echo(p.element(), came[i], read[i], seen[i])
		}
		return seen
	}
	if read != nil && reflect.DeepEqual(read, seen) || saysNothing(read) && saysNothing(seen) && saysNothing(came) {
		return came
	}
	return seen
}

// saysNothing reports whether a value is null, or empty.
func saysNothing(v any) bool {
	if v == nil || v == "" {
		return true
	}
	rv := reflect.ValueOf(v)
	return (rv.Kind() == reflect.Map || rv.Kind() == reflect.Slice) && rv.Len() == 0
}

// below returns the plan of a member, nil if nothing is known of it, and whether it may
// be answered: it is a property, and none that is secret.
func (p *plan) below(name string) (_ *plan, open bool) {
	switch {
	case p == nil:
	case p.shape == asMapping:
		return p.elem, true
	case p.shape == asObject:
		i, ok := p.byName[name]
		if !ok {
			return nil, false
		}
		return p.fields[i].plan, !p.fields[i].tag.secret
	}
	return nil, true
}

func (p *plan) element() *plan {
	if p == nil {
		return nil
	}
	return p.elem
}
