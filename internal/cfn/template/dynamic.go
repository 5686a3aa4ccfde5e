package template

import (
	"maps"
	"regexp"
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// ssmReference is a dynamic reference to a parameter of Parameter Store, with or
// without a version, as CloudFormation recognises it. Those to secrets it leaves
// in custom resources as they are written.
var ssmReference = regexp.MustCompile(`\{\{resolve:ssm:([A-Za-z0-9_./-]+)(?::([0-9]+))?\}\}`)

// stored returns the value of a reference, given as NAME:VERSION or as NAME.
func (p *planner) stored(reference []string) (value string, ok bool) {
	if reference[2] != "" {
		if value, ok = p.store[reference[1]+":"+reference[2]]; ok {
			return value, true
		}
	}
	value, ok = p.store[reference[1]]
	return value, ok
}

// dynamic resolves the references in a value, as CloudFormation does before it
// sends a request. missing is the name of the first that is not here, or "".
func (p *planner) dynamic(v any) (resolved any, missing string) {
	switch v := v.(type) {
	case string:
		out := ssmReference.ReplaceAllStringFunc(v, func(written string) string {
			reference := ssmReference.FindStringSubmatch(written)
			value, ok := p.stored(reference)
			if !ok && missing == "" {
				missing = reference[1]
			}
			if !ok {
				return written
			}
			return value
		})
		return out, missing
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var none string
			if out[i], none = p.dynamic(e); missing == "" {
				missing = none
			}
		}
		return out, missing
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			var none string
			if out[name], none = p.dynamic(e); none != "" && (missing == "" || none < missing) {
				missing = none
			}
		}
		return out, missing
	}
	return v, ""
}

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
			if _, missing := p.dynamic(l.value); missing != "" {
				p.report.errorf(p.place(res, name), notStored, missing, missing)
			}
		})
	}
}

// resolveDynamic resolves the references in a resource's properties.
func (p *planner) resolveDynamic(ev *evaluation, res *resource, properties map[string]any) (map[string]any, error) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		resolved, missing := p.dynamic(properties[name])
		if missing != "" && engine.IsCustomResource(res.Type) {
			return nil, ev.fail(p.place(res, name), notStored, missing, missing)
		}
		properties[name] = resolved
	}
	return properties, nil
}
