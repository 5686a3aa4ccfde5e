package schema

import (
	"fmt"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// Check holds a template against what its functions say of themselves, by their logical IDs. last
// are the properties that custom resources were last sent, by theirs, as CloudFormation sends them.
// It returns what the functions would refuse, and warnings of resources that are replaced, both in
// the order of the file. Resources of other functions are left alone.
func Check(plan *template.Plan, providers map[string]*Provider, last map[string]map[string]any) (errs template.Errors, warnings []template.Warning) {
	types := map[string]*ResourceType{}
	for i := range plan.Customs {
		c := &plan.Customs[i]
		p := providers[c.Function]
		if p == nil {
			continue
		}
		t := p.Type(c.Type)
		if t == nil {
			errs = append(errs, &template.Error{Position: c.Position, Path: c.Path, Text: fmt.Sprintf("the function %s has no handler for %s%s",
				c.Function, short(c.Type), didYouMean(c.Type, slices.Values(p.names())))})
			continue
		}
		types[c.LogicalID] = t
		found := t.Check(c)
		errs = append(errs, found...)
		if before := last[c.LogicalID]; before != nil && len(found) == 0 {
			warnings = append(warnings, t.replaced(c, before)...)
		}
	}
	for _, a := range plan.Attributes {
		if t := types[a.LogicalID]; t != nil && !t.Has(a.Name) {
			errs = append(errs, &template.Error{Position: a.Position, Path: a.Path, Text: fmt.Sprintf("%s has no attribute %s%s",
				t.Schema.TypeName, short(a.Name), didYouMean(a.Name, slices.Values(t.Attributes)))})
		}
	}
	slices.SortStableFunc(errs, func(a, b *template.Error) int { return a.Position.Compare(b.Position) })
	slices.SortStableFunc(warnings, func(a, b template.Warning) int { return a.Position.Compare(b.Position) })
	return errs, warnings
}

// names are the resource types that there are.
func (p *Provider) names() (all []string) {
	for _, t := range p.Types {
		all = append(all, t.Schema.TypeName)
	}
	return all
}
