package skeleton

import (
	"slices"
	"strings"
)

// Imports are those of the file with the types.
func (m *model) Imports() (lines []string) {
	for _, i := range []struct {
		needed bool
		path   string
	}{
		{len(m.Checks) > 0, `"errors"`},
		{slices.ContainsFunc(m.Checks, func(c string) bool { return strings.Contains(c, "slices.") }), `"slices"`},
		{m.HasTime(), `"time"`},
		{len(m.Enums) > 0, "\n\t\"github.com/cfnresource/sdk-go/cfnresource/schema\""},
	} {
		if i.needed {
			lines = append(lines, i.path)
		}
	}
	return lines
}

// HasTime reports whether some field has a type of package time.
func (m *model) HasTime() bool {
	for _, t := range append([]structType{m.Props, m.Data}, m.Structs...) {
		for _, f := range t.Fields {
			if strings.Contains(f.Type, "time.") {
				return true
			}
		}
	}
	return false
}

// SampleHasTime reports whether the contract's properties have a value of package
// time.
func (m *model) SampleHasTime() bool {
	return strings.Contains(m.Properties+m.InPlace+m.Replacing, "time.")
}
