package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An ImportError is a resource that no stack can take over.
type ImportError struct {
	LogicalID string
	Err       error
}

func (e *ImportError) Error() string {
	return "the resource " + e.LogicalID + " cannot be imported: " + e.Err.Error()
}

// Unwrap is why.
func (e *ImportError) Unwrap() error { return e.Err }

// Import has a stack, or a new one, take over resources of registered types: by
// logical ID, those with the physical IDs in ids. They are read before anything
// starts. It returns when the stack is at rest.
func (h *Home) Import(ctx context.Context, name string, c Change, ids map[string]string, s Settings) (*engine.Stack, error) {
	return h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		plan, err := o.prepare(c)
		if err != nil {
			return nil, err
		}
		imported := map[string]engine.Imported{}
		for logicalID, id := range ids {
			imported[logicalID] = engine.Imported{PhysicalID: id}
		}
		o.before = func(ctx context.Context) error {
			for _, t := range plan.Resources {
				id, asked := ids[t.LogicalID]
				if !asked || o.record.RevisionOfType(t.Type) == nil {
					continue // the latter is refused
				}
				model, err := o.readImport(ctx, t.LogicalID, t.Type, id)
				if err != nil {
					return &ImportError{t.LogicalID, err}
				}
				imported[t.LogicalID] = engine.Imported{PhysicalID: id, Model: model}
			}
			return nil
		}
		return func(m *engine.Machine, now time.Time) error {
			return m.Import(now, engine.Deployment{Template: &plan.Template}, maps.Clone(imported))
		}, nil
	})
}

// readImport reads a resource that is no other stack's.
func (o *operation) readImport(ctx context.Context, logicalID, resourceType, id string) (map[string]any, error) {
	if id == "" || len(id) > engine.MaxPhysicalID {
		return nil, errors.New("its identifier has no characters, or too many")
	}
	records, err := o.home.Stacks()
	if err != nil {
		return nil, err
	}
	for _, other := range records {
		for _, s := range other.Stack.All() {
			if !s.Deleted() && slices.ContainsFunc(s.Resources, func(res *engine.StackResource) bool {
				return !res.Gone && res.Type == resourceType && res.PhysicalID == id
			}) {
				return nil, fmt.Errorf("it belongs to the stack %s already", s.Name)
			}
		}
	}
	model, _, err := o.readResource(ctx, resourceType, o.record.Stack, logicalID, id)
	return model, err
}
