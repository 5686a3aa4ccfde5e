package simulate

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A Request is a request of CloudFormation's, and its result so far.
// cfntest.StackRequest documents its fields.
type Request struct {
	Type, LogicalID, ResourceType, PhysicalID string

	Fault      fault.Fault // that was planned for it; its Kind is "" if none was
	FaultHit   bool        // the fault has happened
	Deliveries []Delivery
	Outcome    string
	Reason     string // of an Outcome other than Succeeded
	PollHeld   bool   // a Poll was kept waiting by a fault of a chain

	sent     *engine.Request
	answer   string                // that CloudFormation read, or ""
	response *answercheck.Response // what is in it
}

// Requests returns all requests, in the order in which they were sent.
func (s *Stack) Requests() []Request { return s.RequestsFrom(0) }

// RequestsFrom returns those of Requests that were sent after the first n.
func (s *Stack) RequestsFrom(n int) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Request, 0, len(s.exchanges)-n)
	for _, x := range s.exchanges[n:] {
		r := x.Request
		r.Deliveries = slices.Grow(r.Deliveries, len(x.deliveries))
		for _, d := range x.deliveries {
			c := *d
			c.Calls = append([]Call(nil), d.Calls...)
			r.Deliveries = append(r.Deliveries, c)
		}
		all = append(all, r)
	}
	return all
}

// StackID returns the ID of the stack that sent the request.
func (r Request) StackID() string { return r.sent.StackID }

// Properties returns the properties as the handler got them, without the ServiceToken.
func (r Request) Properties() map[string]any { return sentProperties(r.sent.Properties) }

// OldProperties returns the properties before an Update, and nil in other requests.
func (r Request) OldProperties() map[string]any { return sentProperties(r.sent.OldProperties) }

// Response returns the answer that CloudFormation read, or nil.
func (r Request) Response() *answercheck.Response {
	if r.answer == "" {
		return nil
	}
	a := *r.response // a caller may change its own
	return &a
}

// AnswerSize returns how many bytes the answer has that CloudFormation read.
func (r Request) AnswerSize() int { return len(r.answer) }

// FirstSteps returns how many Steps the first invocation reached.
func (r Request) FirstSteps() int {
	if len(r.Deliveries) == 0 {
		return 0
	}
	return r.Deliveries[0].Steps
}

// Calls returns the calls of all deliveries.
func (r Request) Calls() (all []Call) {
	for _, d := range r.Deliveries {
		all = append(all, d.Calls...)
	}
	return all
}

// Struck returns the call that was running when the fault happened, or none.
func (r Request) Struck() Call {
	for _, d := range r.Deliveries {
		if d.struck > 0 {
			return d.Calls[d.struck-1]
		}
	}
	return Call{}
}

// SinceFault returns the request with the calls from the one on that was running when its fault happened.
func (r Request) SinceFault() Request {
	hit := slices.IndexFunc(r.Deliveries, func(d Delivery) bool { return d.struck > 0 })
	if hit < 0 {
		return r
	}
	r.Deliveries = slices.Clone(r.Deliveries[hit:])
	first := &r.Deliveries[0]
	first.Calls = first.Calls[first.struck-1:]
	first.struck = 1
	return r
}

// WentOn reports whether that delivery took further Steps after a fault at a Step, so that its error may be another one.
func (r Request) WentOn() bool {
	return slices.ContainsFunc(r.Deliveries, func(d Delivery) bool { return d.struck > 0 && d.Steps > r.Fault.Step })
}

// Waits reports whether a method that the request is for called a Poll, in a function
// that continues.
func (r Request) Waits() bool {
	return slices.ContainsFunc(r.Deliveries, func(d Delivery) bool { return d.waits })
}

// Polls reports whether a method that the request is for called a Poll.
func (r Request) Polls() bool {
	return slices.ContainsFunc(r.Deliveries, func(d Delivery) bool { return d.polls })
}

// AnsweredID returns the physical ID of the answer that CloudFormation has read, or "".
func (r Request) AnsweredID() string {
	if a := r.Response(); a != nil {
		return a.PhysicalResourceID
	}
	return ""
}

// Fails reports whether each call failed, so that nothing can happen once a method has done its work.
func (r Request) Fails() bool {
	for _, c := range r.Calls() {
		if c.Error == "" {
			return false
		}
	}
	return true
}

// CutOff reports whether the context of a waiting method ended before the event was sent on.
func (r Request) CutOff() bool {
	return slices.ContainsFunc(r.Deliveries, func(d Delivery) bool { return d.CutOff && !d.Continued })
}

// GaveUp reports whether a method ended by a limit of its own while a fault kept its Poll waiting, and
// neither because its context ended nor to go on in another invocation.
func (r Request) GaveUp() bool {
	gaveUp := func(d Delivery) bool {
		if d.CutOff || d.Continued {
			return false
		}
		return d.polls
	}
	return r.PollHeld && slices.ContainsFunc(r.Deliveries, gaveUp)
}

// sentProperties returns properties without those that CloudFormation adds.
func sentProperties(p engine.Properties) map[string]any {
	m := p.Map()
	delete(m, "ServiceToken")
	delete(m, mark)
	return m
}

// judgedRequest returns the request as package answercheck needs it to check the answer.
func judgedRequest(q *engine.Request) answercheck.Request {
	return answercheck.Request{
		RequestType:        q.RequestType,
		StackID:            q.StackID,
		RequestID:          q.RequestID,
		LogicalResourceID:  q.LogicalID,
		PhysicalResourceID: q.PhysicalID,
	}
}

// A Delivery is cfntest's Delivery: one invocation of the function with a request.
type Delivery struct {
	Calls    []Call
	Steps    int
	Response *answercheck.Response
	Ended    string
	Record   bool

	Link      int
	Continued bool

	CutOff  bool      // a method ended with its context while a Poll was held
	Stopped []Stopped // calls that the end of their context stopped, and no fault
	Aside   bool      // it died at a Step of another goroutine than the method's

	Overlooked bool // its Create ended when the Delete of what it made had been answered

	polls bool // a method that the request is for called a Poll
	waits bool // and the function continues

	struck int // which of Calls met the fault, from 1; 0 if none did
}

// RanOut reports whether the end of its context stopped a call in some delivery.
func RanOut(all []Delivery) bool {
	return slices.ContainsFunc(all, func(d Delivery) bool { return len(d.Stopped) > 0 })
}

// A Stopped is a call that ran out of time by itself.
type Stopped struct {
	Call  int // its index in Delivery.Calls
	After time.Duration
}

// A Call is cfntest's Call: one call of a handler's method.
type Call struct {
	Method     string
	PhysicalID string
	Returned   string
	Created    string
	Error      string
	Code       string
	Abandoned  bool
}

// Panicked reports whether the call panicked, or ended its goroutine, before its event was answered.
func (c Call) Panicked() bool { return c.Error == didNotReturn && !c.Abandoned }

// A Returned call has ended.
type Returned struct {
	Call
	Request   string // the type of the request that it belongs to
	LogicalID string
	Nth       int // of the resource's requests of that type, from 1
	Delivery  int // of that request, from 1
}

// String says how a call ended, without its properties.
func (c Call) String() string {
	// It quotes no text of an error, which may have a secret.
	text := "the handler's " + c.Method
	if c.PhysicalID != "" {
		text += " of " + c.PhysicalID
	}
	switch {
	case c.Error == errDead.Error():
		text += " ended with the process"
	case c.Code != "":
		text += " failed: " + c.Code
	case c.Error != "":
		text += " failed"
	case c.Returned != "":
		text += " returned " + c.Returned
	case c.Method == "Find":
		text += " found nothing"
	default:
		text += " returned"
	}
	if c.Created != "" {
		text += ", and named " + c.Created
	}
	if c.Abandoned {
		text += ", long after its context had ended"
	}
	return text
}

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

// read has the stack read, if there is one. That is no step of it.
func (s *Stack) read(look func(now *engine.Stack)) {
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	if live != nil {
		live.Look(look)
	}
}

// A StackEvent is cfntest's StackEvent: a row of the stack's events.
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
		data, _ = decoded(map[string]any(r.Attributes)).(map[string]any)
	})
	return data
}

// decoded returns a copy of a value of the engine's as encoding/json decodes it, with float64 for each number.
func decoded(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if value == nil {
			return value
		}
		all := make(map[string]any, len(value))
		for name, member := range value {
			all[name] = decoded(member)
		}
		return all
	case []any:
		all := make([]any, len(value))
		for i, entry := range value {
			all[i] = decoded(entry)
		}
		return all
	case json.Number:
		n, _ := value.Float64() // came from JSON
		return n
	}
	return value
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

// SeenIDs returns every physical ID that a handler returned, named, answered or was
// called with: things may exist under them.
func (s *Stack) SeenIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}
