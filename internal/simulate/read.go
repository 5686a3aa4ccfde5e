package simulate

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// Status returns the stack's status; "" if it was never created.
func (s *Stack) Status() lifecycle.StackStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Continues reports whether the function's Options.Continue is set, as far as it has been invoked.
func (s *Stack) Continues() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.continues
}

// read has the stack read, if there is one.
func (s *Stack) read(look func(now *engine.Stack)) {
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	if live != nil {
		// An error would be that of Save, which has none.
		_ = live.Do(func(m *engine.Machine, _ time.Time) error { look(m.Stack()); return nil })
	}
}

// A StackEvent is cfntest's: a row of the stack's events.
type StackEvent struct {
	Time       time.Time
	LogicalID  string
	PhysicalID string
	Type       string
	Status     string
	Reason     string
}

// Events returns the rows of the stack's events, oldest first.
func (s *Stack) Events() (rows []StackEvent) {
	s.read(func(now *engine.Stack) {
		for _, e := range now.Events {
			rows = append(rows, StackEvent{
				Time:       e.Timestamp,
				LogicalID:  e.LogicalResourceId,
				PhysicalID: e.PhysicalResourceId,
				Type:       e.ResourceType,
				Status:     e.ResourceStatus,
				Reason:     e.ResourceStatusReason,
			})
		}
	})
	return rows
}

// PhysicalID returns a resource's physical ID, or "".
func (s *Stack) PhysicalID(logicalID string) (id string) {
	s.resource(logicalID, func(r *engine.StackResource) { id = r.PhysicalID })
	return id
}

// Sent returns a resource's status, and the properties that CloudFormation holds of it.
func (s *Stack) Sent(logicalID string) (status string, properties map[string]any) {
	s.resource(logicalID, func(r *engine.StackResource) { status, properties = r.Status, sentProperties(r.Properties) })
	return status, properties
}

// Data returns the attributes that Fn::GetAtt reads from a resource.
func (s *Stack) Data(logicalID string) (data map[string]any) {
	s.resource(logicalID, func(r *engine.StackResource) {
		text, _ := json.Marshal(r.Attributes) // came from JSON
		_ = json.Unmarshal(text, &data)
	})
	return data
}

func (s *Stack) resource(logicalID string, look func(r *engine.StackResource)) {
	s.read(func(now *engine.Stack) {
		for _, r := range now.Resources {
			if r.LogicalID == logicalID && !r.Gone {
				look(r)
			}
		}
	})
}

// addPhysicalID notes a physical ID. The caller holds the lock.
func (s *Stack) addPhysicalID(id string) {
	if id != "" && !slices.Contains(s.ids, id) {
		s.ids = append(s.ids, id)
	}
}

// SeenIDs returns every ID that a handler returned, named or was called
// for, and that was answered: things may exist under them.
func (s *Stack) SeenIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}
