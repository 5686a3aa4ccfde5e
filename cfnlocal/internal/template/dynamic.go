package template

import (
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const notStored = "the parameter %s of Parameter Store is not here; give its value with --ssm %s=VALUE"

// checkDynamic reports the references in a custom resource whose values are not
// here, as far as they are written out in the template.
func (p *planner) checkDynamic(res *resource) {
	if !engine.IsCustomResource(res.Type) {
		return // of a stand-in nobody reads it
	}
	for i, name := range res.properties.names {
		walk(res.properties.values[i], p.conditions, func(e expr) {
			l, ok := e.(literal)
			if !ok {
				return
			}
			if _, missing := p.stack.Store.resolve(l.value); missing != "" {
				p.report.Missing(p.place(res, name), []string{source.Flag("--ssm", missing, "VALUE")}, notStored, missing, missing)
			}
		})
	}
}

// resolveDynamic resolves the references in a resource's properties.
func (p *planner) resolveDynamic(ev *evaluation, res *resource, properties map[string]any) (map[string]any, error) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		resolved, missing := p.stack.Store.resolve(properties[name])
		if missing != "" && engine.IsCustomResource(res.Type) {
			return nil, ev.fail(p.place(res, name), notStored, missing, missing)
		}
		properties[name] = resolved
	}
	return properties, nil
}
