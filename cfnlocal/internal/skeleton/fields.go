package skeleton

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

// mostFields bounds the properties of a schema, with those of all objects in it.
const mostFields = 1000

func (m *model) has(list []string, property string) bool {
	return slices.Contains(list, "/properties/"+property)
}

func (m *model) tag(property string, p *schema.Property) string {
	var words []string
	createOnly := m.has(m.schema.CreateOnly, property)
	if createOnly {
		words = append(words, "createOnly")
	}
	required := slices.Contains(m.schema.Required, property)
	if required {
		words = append(words, "required")
	}
	switch secret := m.has(m.schema.WriteOnly, property); {
	case secret && createOnly:
		m.notes = append(m.notes, property+" is both createOnly and writeOnly, which an ID would give away: it is not tagged secret")
	case secret:
		words = append(words, "secret")
	}
	if !required && len(p.Default) > 0 {
		text := string(p.Default)
		_ = json.Unmarshal(p.Default, &text) // a string is written without quotes
		words = append(words, "default="+text)
	}
	return strings.Join(words, ",")
}

// field returns a member of a struct, under a name that none has in used.
func (m *model) field(property string, p *schema.Property, cfn string, used map[string]bool) field {
	if m.fields++; m.fields > mostFields {
		return field{Name: "X", Type: "any"} // newModel fails
	}
	name := unique(goName(property), used)
	var tags []string
	if name != property {
		tags = append(tags, "json:"+strconv.Quote(property))
	}
	if cfn != "" {
		tags = append(tags, "cfn:"+strconv.Quote(cfn))
	}
	if text := oneLine(p.Description); text != "" {
		tags = append(tags, "doc:"+strconv.Quote(text))
	}
	f := field{Name: name, Type: m.goType(p, name)}
	if len(tags) > 0 {
		f.Tag = strings.Join(tags, " ")
		if strings.Contains(f.Tag, "`") {
			f.Tag = strconv.Quote(f.Tag)
		} else {
			f.Tag = "`" + f.Tag + "`"
		}
	}
	return f
}

// check adds what Validate refuses of a property.
func (m *model) check(f field, property string, p *schema.Property) {
	on := "p." + f.Name
	absent := ""
	if !slices.Contains(m.schema.Required, property) {
		absent = on + " != 0 && "
	}
	if f.Type == "int" || f.Type == "float64" {
		for _, limit := range []struct {
			at       *json.Number
			op, word string
		}{{p.Minimum, "<", "less"}, {p.Maximum, ">", "more"}} {
			if limit.at != nil {
				m.Checks = append(m.Checks, fmt.Sprintf("case %s%s %s %s:\n\t\treturn errors.New(%q)", absent, on, limit.op, *limit.at, property+" is "+limit.word+" than "+limit.at.String()))
			}
		}
	}
	for _, e := range m.Enums {
		if e.Name == f.Type {
			none := ""
			if absent != "" {
				none = on + ` != "" && `
			}
			m.Checks = append(m.Checks, fmt.Sprintf("case %s!slices.Contains(%ss, %s):\n\t\treturn errors.New(%q)", none, lower(e.Name), on, property+" is none of "+strings.Join(e.Values, ", ")))
		}
	}
}
