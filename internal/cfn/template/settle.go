package template

// settle evaluates what waits for no resource, such as Fn::FindInMap with a parameter's value for a key: what is wrong with
// it AWS says before anything starts. Branches that are not taken are left out.
func (p *planner) settle(e expr) {
	if !p.settleParts(e) {
		p.settled(e)
	}
}

// settleParts says whether an expression waits for a resource. If it does, it evaluates the parts that do not.
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
	if _, err := e.eval(&evaluation{decisions: p.decisions}); err != nil {
		p.report.Add(err)
	}
}
