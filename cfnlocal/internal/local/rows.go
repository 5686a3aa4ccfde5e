package local

import (
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// shownRows are the rows that the watcher of an operation has seen, and the secrets
// that are hidden in them. The steps of the stack's machine have it to themselves.
type shownRows struct {
	secrets []string
	byStack map[string][]engine.Event // secrets hidden, by the stack's ID
}

// begin counts the rows of earlier operations as seen.
func (r *shownRows) begin(of *record.Record) {
	r.secrets, r.byStack = of.Secrets(), map[string][]engine.Event{}
	r.add(of.Stack)
}

func (r *shownRows) learn(secrets []string) {
	if len(secrets) > 0 {
		r.secrets = mask.Distinct(append(r.secrets, secrets...))
	}
}

// add returns the rows that the watcher has not seen, and marks them as seen.
func (r *shownRows) add(s *engine.Stack) []engine.Row {
	rows := s.Rows(func(one *engine.Stack) int { return len(r.byStack[one.ID]) })
	for i := range rows {
		rows[i].Event = mask.Event(rows[i].Event, r.secrets)
		r.byStack[rows[i].StackId] = append(r.byStack[rows[i].StackId], rows[i].Event)
	}
	return rows
}

// save is Live.Save. It reports rows to the watcher once they are saved.
func (o *operation) save(s *engine.Stack, p *engine.Patch) error {
	if s.Status == "" {
		return nil // there is no stack: what was asked for is refused
	}
	o.record.DropRevisions()
	if p == nil { // the whole stack
		o.shown.learn(o.record.Secrets())
		o.record.Former = slices.Clone(o.shown.secrets) // what tells them may be gone by now, or soon
		if err := o.lock.Save(o.record); err != nil {
			return err
		}
	} else {
		if err := o.lock.Append(p); err != nil {
			return err
		}
		o.shown.learn(o.record.PatchSecrets(s, p))
	}
	for _, row := range o.shown.add(s) {
		o.watcher.Event(row)
	}
	return nil
}
