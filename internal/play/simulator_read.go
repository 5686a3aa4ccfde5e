package play

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Status returns the stack's status; "" if it was never created.
func (p *Simulator) Status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// mayContinue reports whether the function's Options.Continue is set, as far as
// it has been invoked.
func (p *Simulator) mayContinue() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.continues
}

// read has the stack read, if there is one.
func (p *Simulator) read(look func(s *engine.Stack)) {
	p.mu.Lock()
	live := p.live
	p.mu.Unlock()
	if live != nil {
		// An error would be that of Save, which has none.
		_ = live.Do(func(m *engine.Machine, _ time.Time) error { look(m.Stack()); return nil })
	}
}

// Events returns the rows of the stack's events, oldest first.
func (p *Simulator) Events() (rows []StackEvent) {
	p.read(func(s *engine.Stack) {
		for _, e := range s.Events {
			rows = append(rows, StackEvent{Time: e.Timestamp, LogicalID: e.LogicalResourceId, PhysicalID: e.PhysicalResourceId,
				Type: e.ResourceType, Status: e.ResourceStatus, Reason: e.ResourceStatusReason})
		}
	})
	return rows
}

// PhysicalID returns a resource's physical ID, or "".
func (p *Simulator) PhysicalID(logicalID string) (id string) {
	p.resource(logicalID, func(r *engine.StackResource) { id = r.PhysicalID })
	return id
}

// Data returns the attributes that Fn::GetAtt reads from a resource.
func (p *Simulator) Data(logicalID string) (data map[string]any) {
	p.resource(logicalID, func(r *engine.StackResource) {
		text, _ := json.Marshal(r.Attributes) // came from JSON
		_ = json.Unmarshal(text, &data)
	})
	return data
}

func (p *Simulator) resource(logicalID string, look func(r *engine.StackResource)) {
	p.read(func(s *engine.Stack) {
		for _, r := range s.Resources {
			if r.LogicalID == logicalID && !r.Gone {
				look(r)
			}
		}
	})
}

// addPhysicalID notes a physical ID. The caller holds the lock.
func (p *Simulator) addPhysicalID(id string) {
	if id != "" && !slices.Contains(p.ids, id) {
		p.ids = append(p.ids, id)
	}
}

// physicalIDs returns every ID that a handler returned, named or was called
// for, and that was answered: things may exist under them.
func (p *Simulator) physicalIDs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ids)
}
