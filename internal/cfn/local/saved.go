package local

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// saved is Live.Save. It reports events to the watcher once they are saved.
func (r *run) saved(s *engine.Stack, p *engine.Patch) error {
	if s.Status == "" {
		return nil // there is no stack: what was asked for is refused
	}
	r.record.dropDeployments()
	keep := func() error { return r.lock.Append(p) }
	if p == nil {
		r.secrets = distinct(append(r.secrets, r.record.Secrets()...))
		r.record.Former = slices.Clone(r.secrets) // what tells them may be gone by now, or soon
		keep = func() error { return r.lock.Save(r.record) }
	}
	if err := keep(); err != nil {
		return err
	}
	if p != nil {
		r.rememberSecrets(s, p)
		r.secrets = distinct(r.secrets)
	}
	for _, row := range r.newRows(s) {
		r.watcher.Event(row)
	}
	return nil
}

// newRows returns the events that the watcher has not seen, and marks them as seen.
func (r *run) newRows(s *engine.Stack) []engine.Row {
	rows := s.Rows(func(one *engine.Stack) int { return len(r.rows[one.ID]) })
	for i := range rows {
		rows[i].Event = HideEvent(rows[i].Event, r.secrets)
		r.rows[rows[i].StackId] = append(r.rows[rows[i].StackId], rows[i].Event)
	}
	return rows
}

// rememberSecrets adds the secrets of a saved patch to the run's.
func (r *run) rememberSecrets(s *engine.Stack, p *engine.Patch) {
	_, plans := r.record.secretParameters(s)
	for _, q := range p.Requests {
		r.secrets = append(r.secrets, secretsOf(q, plans)...)
	}
	for _, res := range p.Resources {
		r.secrets = append(r.secrets, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	for i, change := range p.Nested {
		if change.Patch != nil {
			r.rememberSecrets(s.Nested[i], change.Patch)
			continue
		}
		for _, nested := range s.Nested[i].All() {
			r.secrets = append(r.secrets, r.record.secretsIn(nested)...)
		}
	}
}
