package skeleton

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/schema"
)

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
