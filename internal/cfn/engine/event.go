package engine

import (
	"slices"
	"time"
)

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
	if w := m.walk(); w != nil && w.Kind == cleanup {
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

// A Row is an event with the name of what it is about, as seen from the root
// stack: Nested.Resource, or a stack's name.
type Row struct {
	Event
	Name  string
	Place string // where in a template the value stands that the reason is about, with what to write there; or ""
}

// Why is the row's reason, with the place that it is about.
func (r *Row) Why() string {
	if r.Place == "" {
		return r.ResourceStatusReason
	}
	return r.ResourceStatusReason + " (" + r.Place + ")"
}

// Rows returns the events of the stack and of its nested stacks, the oldest first. known returns
// how many of a stack's oldest events to leave out; nil leaves out none.
func (s *Stack) Rows(known func(*Stack) int) (all []Row) {
	for _, one := range s.All() {
		from := 0
		if known != nil {
			from = known(one)
		}
		for _, e := range one.Events[from:] {
			name := one.PathOf(e.LogicalResourceId)
			if e.OfStack() {
				name = one.Name
			}
			all = append(all, Row{e, name, one.Places[e.EventId]})
		}
	}
	if len(s.Nested) > 0 {
		slices.SortStableFunc(all, func(a, b Row) int { return a.Timestamp.Compare(b.Timestamp) }) // each row has a time of its own
	}
	return all
}

// Latest returns the time of the latest event, including those of nested stacks.
func (s *Stack) Latest() (at time.Time) {
	for _, one := range s.All() {
		if n := len(one.Events); n > 0 && one.Events[n-1].Timestamp.After(at) {
			at = one.Events[n-1].Timestamp
		}
	}
	return at
}

// A Note is something that happened, and that a stack's events do not tell.
type Note struct {
	At      time.Time
	Kind    NoteKind
	StackID string        `json:",omitempty"` // of the root stack
	Request string        `json:",omitempty"` // the RequestId of what it is about; may be ""
	Text    string        `json:",omitempty"`
	Skipped time.Duration `json:",omitempty"` // of a NoteSkip
}

// A NoteKind is what a Note is about.
type NoteKind string

const (
	NoteFault  NoteKind = "fault"  // a fault strikes; the Text is its name
	NoteTold   NoteKind = "told"   // the Text says it all
	NoteSkip   NoteKind = "skip"   // a wait took no time
	NoteCall   NoteKind = "call"   // an invocation begins
	NoteReturn NoteKind = "return" // an invocation has ended well
	NoteBroke  NoteKind = "broke"  // an invocation has failed; the Text says how
	NoteWrote  NoteKind = "wrote"  // a line of a handler's log
	NoteLate   NoteKind = "late"   // an answer came when nobody waited for it
	NoteLost   NoteKind = "lost"   // an answer was lost
)
