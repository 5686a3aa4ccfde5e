package engine

import "time"

// An Event is a row of DescribeStackEvents, with the API's names.
type Event struct {
	StackId, EventId, StackName string
	OperationId                 string
	LogicalResourceId           string // the stack's name in rows about the stack
	PhysicalResourceId          string // the stack's ID in rows about the stack
	ResourceType                string
	Timestamp                   time.Time
	ResourceStatus              string
	ResourceStatusReason        string     `json:",omitempty"`
	ResourceProperties          Properties `json:",omitempty"` // the API has it as a string
}

// StackType is the ResourceType of rows about the stack itself, and about those
// that are nested in it.
const StackType = "AWS::CloudFormation::Stack"

// OfStack reports whether the row is about the stack itself.
func (e *Event) OfStack() bool {
	return e.ResourceType == StackType && e.PhysicalResourceId == e.StackId
}

// userInitiated is the reason of rows about the stack that tell of a user's call [V].
const userInitiated = "User Initiated"

// ByUser reports whether the row is about the stack and tells that a user began an
// operation or cancelled one. Its reason says no more than that.
func (e *Event) ByUser() bool { return e.OfStack() && e.ResourceStatusReason == userInitiated }

// addFirstEvent appends the row with which an operation begins that leads somewhere new.
func (m *Machine) addFirstEvent(status string) {
	m.stack.Began = len(m.stack.Events)
	m.addStackEvent(status, userInitiated)
}

// addStackEvent appends a row about the stack.
func (m *Machine) addStackEvent(status, reason string) {
	s := m.stack
	s.Status, s.StatusReason = status, reason
	m.append(Event{EventId: s.uuid(4), LogicalResourceId: s.Name, PhysicalResourceId: s.ID, ResourceType: StackType,
		ResourceStatus: status, ResourceStatusReason: reason})
}

// addResourceEvent appends a row about a resource. The rows of cleanup's deletes have an
// EventId of another form, and no properties [V].
func (m *Machine) addResourceEvent(r *StackResource, status, reason string) {
	r.Status, r.StatusReason = status, reason
	m.markChanged(r)
	e := Event{LogicalResourceId: r.LogicalID, PhysicalResourceId: r.PhysicalID, ResourceType: r.Type,
		ResourceStatus: status, ResourceStatusReason: reason}
	if m.inCleanup() {
		e.EventId = r.LogicalID + "-" + m.stack.uuid(4)
	} else {
		e.ResourceProperties = r.Properties
	}
	m.append(e)
}

// append fills in what all rows have. Times go forward by a millisecond at least, so that the order
// of rows is that of their times, nested stacks included.
func (m *Machine) append(e Event) {
	s := m.stack
	e.StackId, e.StackName, e.OperationId = s.ID, s.Name, s.Operation.ID
	e.Timestamp = m.top.now.UTC()
	if !e.Timestamp.After(m.top.latest) {
		e.Timestamp = m.top.latest.Add(time.Millisecond)
	}
	m.top.latest = e.Timestamp
	if e.EventId == "" {
		e.EventId = e.LogicalResourceId + "-" + e.ResourceStatus + "-" + e.Timestamp.Format("2006-01-02T15:04:05.000Z")
	}
	s.Events = append(s.Events, e)
}
