package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Markdown returns the tables of a resource type: the properties that a template sets, and the
// attributes that Fn::GetAtt reads.
func (t *ResourceType) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", cell(t.Schema.TypeName))
	if text := t.Schema.Description; text != "" {
		fmt.Fprintf(&b, "%s\n\n", cell(text))
	}
	w := &tables{t: t, out: &b}
	settable := t.properties()
	for _, name := range cloudFormationProperties {
		delete(settable, name) // they are the same for all
	}
	switch {
	case len(settable) > 0:
		b.WriteString("| Property | Type | On update | |\n|---|---|---|---|\n")
		w.properties("", settable, t.Schema.Required, nil)
	case t.Schema.AdditionalProperties:
		b.WriteString("It takes any property.\n")
	default:
		b.WriteString("It has no properties.\n")
	}
	if b.Len() > mostTables {
		b.WriteString("\nThere are too many properties to show them all.\n")
	}
	if len(t.Attributes) > 0 {
		b.WriteString("\n| Attribute | Type | |\n|---|---|---|\n")
		for _, name := range t.Attributes {
			w.attribute(name)
		}
	}
	return b.String()
}

// mostTables is about how many bytes of tables are written, since objects in objects can multiply.
const mostTables = 256 << 10

type tables struct {
	t   *ResourceType
	out *strings.Builder
}

// properties writes a row for each property, the required ones first. The rows of the objects in a
// property follow it.
func (t *tables) properties(prefix string, all map[string]*Property, required []string, open []*Property) {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(order(required, a), order(required, b)), strings.Compare(a, b))
	})
	for _, name := range names {
		if t.out.Len() > mostTables {
			return
		}
		p := all[name]
		path := prefix + name
		// The property's own row.
		words := []string{t.kind(p)}
		if slices.Contains(required, name) {
			words = append(words, "required")
		}
		if len(p.Default) > 0 {
			text := string(p.Default)
			_ = json.Unmarshal(p.Default, &text) // a string is shown without quotes, as in a template
			words = append(words, "default `"+cell(text)+"`")
		}
		update := "in place"
		if t.createOnly(path) {
			update = "replacement"
		}
		fmt.Fprintf(t.out, "| `%s` | %s | %s | %s |\n", cell(path), strings.Join(words, ", "), update, cell(p.Description))
		// The rows of the objects in it, through lists and maps.
		for suffix := ""; ; {
			p = t.t.Schema.Resolve(p)
			switch {
			case p.Items != nil:
				p, suffix = p.Items, suffix+"[]"
				continue
			case len(p.PatternProperties) == 1:
				for _, elem := range p.PatternProperties {
					p = elem
				}
				suffix += ".*"
				continue
			}
			if len(p.Properties) > 0 && !slices.Contains(open, p) {
				t.properties(path+suffix+".", p.Properties, p.Required, append(slices.Clip(open), p))
			}
			break
		}
	}
}

// order returns the place of a property: required ones come first, in the order of their list.
func order(required []string, name string) int {
	if i := slices.Index(required, name); i >= 0 {
		return i
	}
	return len(required)
}

// createOnly reports whether another value of a property replaces the resource. The property itself,
// or one that contains it, is then createOnly.
func (t *tables) createOnly(path string) bool {
	name := strings.NewReplacer("[]", "", ".*", "/*", ".", "/").Replace(path)
	return slices.ContainsFunc(t.t.Schema.CreateOnly, func(pointer string) bool {
		at := property(pointer)
		return name == at || strings.HasPrefix(name, at+"/")
	})
}

func (t *tables) attribute(name string) {
	path := strings.Split(name, ".")
	p := t.t.Schema.Properties[path[0]]
	for _, step := range path[1:] {
		if p = t.t.Schema.Resolve(p); p.Properties[step] == nil {
			break
		}
		p = p.Properties[step]
	}
	if p == nil || t.setToo(path[0]) {
		p = new(Property)
	}
	fmt.Fprintf(t.out, "| `%s` | %s | %s |\n", cell(name), t.kind(p), cell(p.Description))
}

// setToo reports whether an attribute has the name of a property that can be set. The schema then
// describes the property.
func (t *tables) setToo(name string) bool {
	return !slices.ContainsFunc(t.t.Schema.ReadOnly, func(pointer string) bool {
		at := property(pointer)
		return at == name || strings.HasPrefix(at, name+"/")
	})
}

// kind returns a property's type in words.
func (t *tables) kind(p *Property) string {
	p = t.t.Schema.Resolve(p)
	if values := p.values(); len(values) > 0 {
		for i := range values {
			values[i] = "`" + cell(values[i]) + "`"
		}
		return strings.Join(values, " or ")
	}
	if len(p.Type) == 0 {
		return "any"
	}
	switch text := strings.Join(p.Type, " or "); {
	case text == "array" && p.Items != nil:
		return "list of " + t.kind(p.Items)
	case text == "array":
		return "list"
	case len(p.Examples) > 0:
		if example, ok := p.Examples[0].(string); ok {
			return cell(text) + " such as `" + cell(example) + "`"
		}
		fallthrough
	default:
		return cell(text)
	}
}

// cell returns text that fits into a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;").Replace(text)
}
