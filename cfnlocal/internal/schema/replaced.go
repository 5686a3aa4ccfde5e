package schema

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// replaced returns a warning for each property whose change replaces the resource, unless nothing leads from the properties to
// its physical ID: the schema does not say that. It does not compare values that are not known yet.
func (t *ResourceType) replaced(c *template.Custom, before map[string]any) (warnings []template.Warning) {
	i := &identifier{Schema: t.Schema}
	for _, pointer := range t.Schema.CreateOnly {
		path := strings.Split(property(pointer), "/")
		p := &Property{Properties: t.Schema.Properties}
		now, old := &c.Properties, any(before)
		at, where := c.Position, c.Path
		// The template's value and the one last sent are followed together, down to the property.
		for _, name := range path {
			p, _ = lookup(t.Schema.Resolve(p), name)
			now, at, where = member(now, name, at, where)
			old = under(old, name)
		}
		value, known := plain(now)
		// Past the limit nothing is known: no warning is better than a wrong one.
		same := !known || reflect.DeepEqual(i.identity(value, p, 0), i.identity(old, p, 0))
		if !same && i.looked <= mostLooked {
			name := short(strings.Join(path, "."))
			warnings = append(warnings, template.Warning{Position: at, Path: where,
				Text: "another " + name + " is another resource: this replaces " + c.LogicalID + ", if its handler has Find or names it by StableID"})
		}
	}
	return warnings
}

// member returns an object's value under a name, with its place. The value is nil if there is none.
func member(v *template.Value, name string, at template.Position, path string) (*template.Value, template.Position, string) {
	if v == nil || v.Form == template.Unknown {
		return v, at, path
	}
	for i := range v.Members {
		if m := &v.Members[i]; strings.EqualFold(m.Name, name) {
			return &m.Value, m.Position, m.Path
		}
	}
	return nil, at, path
}

// under returns an object's value under a name, as CloudFormation sends it, or nil.
func under(v any, name string) any {
	members, _ := v.(map[string]any)
	if found, ok := members[name]; ok {
		return found
	}
	for known, found := range members {
		if strings.EqualFold(known, name) {
			return found
		}
	}
	return nil
}

// plain returns a template's value as CloudFormation sends it, if all of it is known.
func plain(v *template.Value) (_ any, complete bool) {
	if v == nil {
		return nil, true
	}
	switch v.Form {
	case template.Scalar:
		return v.Text, true
	case template.List:
		list := make([]any, len(v.Items))
		for i := range list {
			if list[i], complete = plain(&v.Items[i]); !complete {
				return nil, false
			}
		}
		return list, true
	case template.Object:
		object := make(map[string]any, len(v.Members))
		for i := range v.Members {
			m := &v.Members[i]
			if object[m.Name], complete = plain(&m.Value); !complete {
				return nil, false
			}
		}
		return object, true
	}
	return nil, false
}

// An identifier computes identities. It counts the values that it looks at, since defaults in defaults can multiply.
type identifier struct {
	*Schema
	looked int
}

// mostLooked is how many values of a resource are compared.
const mostLooked = 100_000

// identity returns a value in a form that can be compared, as the SDK does. A value that is absent has
// its default, and one that means the same as its absence is nil.
func (s *identifier) identity(v any, p *Property, depth int) any {
	p = s.Resolve(p)
	if s.looked++; depth > deepest || s.looked > mostLooked {
		return nil
	}
	if v == nil && len(p.Default) > 0 {
		_ = json.Unmarshal(p.Default, &v) // a default that is not JSON is ignored
	}
	// A scalar is text. A list has its parts, and an object has those that are not nil.
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = s.identity(v[i], p.Items, depth+1)
		}
		if len(list) > 0 {
			return list
		}
	case map[string]any:
		object := map[string]any{}
		for name, value := range v {
			below, _ := lookup(p, name)
			if value = s.identity(value, below, depth+1); value != nil {
				object[strings.ToLower(name)] = value
			}
		}
		// A member that is absent may have a default.
		for name, below := range p.Properties {
			if value := s.identity(under(v, name), below, depth+1); value != nil {
				object[strings.ToLower(name)] = value
			}
		}
		if len(object) > 0 {
			return object
		}
	default:
		if text, ok := source.Text(v); ok {
			return identityOf(text, p)
		}
	}
	return nil
}

// identityOf returns the identity of a single value, which is text.
func identityOf(text string, p *Property) any {
	isNumber, isBoolean := p.takes("integer") || p.takes("number"), p.takes("boolean")
	// 1, 1.0 and +1 are one number.
	if n, ok := numberOf(text); ok && isNumber {
		text = n.RatString()
	}
	if isBoolean {
		text = strings.ToLower(text)
	}
	// The zero value of a Go field means the same as its absence.
	switch {
	case text == "", isNumber && text == "0", isBoolean && text == "false":
		return nil
	}
	return text
}
