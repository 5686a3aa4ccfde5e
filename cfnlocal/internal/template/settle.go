package template

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// checkProperties checks a resource's properties as far as they are known. What SAM makes is left:
// it has the properties of SAM's own types, or is made as AWS takes it.
func (p *planner) checkProperties(res *resource) {
	given := map[string]*source.Node{}
	for i, name := range res.properties.names {
		p.settle(res.properties.values[i])
		if p.pick(res.properties.values[i]) != nil {
			given[name] = res.at.Get("Properties").Fields[i].Value
		}
	}
	if !res.transformed {
		res.spec.checkProperties(given, res.key, p.report)
	}
}

// settle evaluates what waits for no resource, such as Fn::FindInMap with a parameter's value for a
// key: what is wrong with it AWS says before anything starts. Branches that are not taken are left
// out.
func (p *planner) settle(e expr) {
	if !p.settleParts(e) {
		p.settled(e)
	}
}

// settleParts says whether an expression waits for a resource. If it does, it evaluates the parts
// that do not.
func (p *planner) settleParts(e expr) (waits bool) {
	switch e := e.(type) {
	case nil, literal, noValue:
		return false
	case attribute, resourceRef, imported: // what is wrong with an import is said where it is noted
		return true
	case parameterRef: // so is what Parameter Store does not have
		_, known := p.parameters[e.name]
		return !known
	}
	parts := e.parts(p.conditions)
	waiting := make([]bool, len(parts))
	for i, part := range parts {
		waiting[i] = p.settleParts(part)
		waits = waits || waiting[i]
	}
	for i, part := range parts {
		if waits && !waiting[i] {
			p.settled(part)
		}
	}
	return waits
}

func (p *planner) settled(e expr) {
	if e == nil {
		return
	}
	if _, err := e.eval(&evaluation{decisions: p.decisions}); err != nil && !p.report.Accepted {
		p.report.Add(err)
	}
}
