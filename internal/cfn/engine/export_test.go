package engine

// What tests from outside reach into.

// Of registered types: how often a call of a handler is repeated, and why there is no replacement.
const (
	MaxRetries         = maxRetries
	ReplacementRefused = replacementRefused
)

// ByID is a resource that is there.
func (m *Machine) ByID(logicalID string) *StackResource { return m.byID[logicalID] }

// Resumed is the machine of a copy of the stack, as a process finds it that goes on where
// the one before it died. It hands out the requests that that one has not sent.
func (m *Machine) Resumed(templates map[int]*Template) (*Machine, error) {
	kept, err := m.stack.Clone()
	if err != nil {
		return nil, err
	}
	if templates == nil {
		templates = map[int]*Template{kept.Stable: m.stable, kept.Target: m.target}
	}
	next := Resume(kept, templates)
	next.Types = m.Types
	return next, nil
}

// TakeFrom hands out the requests that another Machine of the same stack has not.
func (m *Machine) TakeFrom(other *Machine) {
	m.out = nil
	for _, q := range other.Take() {
		_, own := m.request(q.RequestID)
		m.out = append(m.out, own)
	}
}

// Machine is what a Live runs.
func (l *Live) Machine() *Machine { return l.machine }
