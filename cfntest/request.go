package cfntest

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A StackRequest is what CloudFormation asked for, and what came of it: plain data,
// the same in each run.
type StackRequest struct {
	Type         string // Create, Update or Delete
	LogicalID    string
	ResourceType string
	PhysicalID   string // "" in a Create
	// The properties as the handler got them, without the ServiceToken.
	// OldProperties are nil but in an Update.
	Properties, OldProperties map[string]any

	// Fault is what went wrong with it, once it has.
	Fault FaultKind
	// Deliveries are the invocations with it, in the order in which they began.
	Deliveries []Delivery
	// Outcome is what CloudFormation takes it for: Succeeded, Failed, Rejected (an answer in a form
	// that it does not accept), TimedOut or Cancelled; "" while it is waited for.
	Outcome string
	// Response is the one that CloudFormation read, or nil.
	Response *Response
}

// A Delivery is one invocation of the function with a request.
type Delivery struct {
	Calls    []Call    // of the handler's methods
	Steps    int       // how often Step was called
	Response *Response // nil if there was none
	// Ended says how the invocation ended, if not with nil: "died", "timed
	// out", or "error", for which Lambda delivers the event again.
	Ended string
	// Record says that it was not the event that was delivered, but the record
	// of its failure, as to an on-failure destination.
	Record bool
	// Link says which invocation it is of those that the event took, from 1. Two
	// of one number are tries of Lambda's.
	Link int
	// Continued says that it answered nothing, since it has sent the event on to
	// another invocation.
	Continued bool
}

// A Call is one call of a handler's method.
type Call struct {
	Method     string // Create, Update, Delete or Find
	PhysicalID string // that it was called for
	Returned   string // the ID that Find returned
	Created    string // the ID that Create has named with Created
	Error      string // what it returned, or how it ended
	Code       string // of the error, if it has one, as by cfnresource.CodeOf
	// Abandoned says that it had not returned when the event was answered: it does
	// not return when its context ends. On Lambda the process is frozen then,
	// and what the method does next is done beside a later event, or never.
	Abandoned bool
}

// A StackEvent is a row of the stack's events, as the console shows them, oldest first.
type StackEvent struct {
	Time       time.Time
	LogicalID  string // the stack's name in rows about the stack
	PhysicalID string
	Type       string
	Status     string
	Reason     string
}

// String says what became of a call, without what it was about.
func (c Call) String() string { return simulate.Call(c).String() }

func requestOf(r simulate.Request) StackRequest {
	out := StackRequest{
		Type:          r.Type,
		LogicalID:     r.LogicalID,
		ResourceType:  r.ResourceType,
		PhysicalID:    r.PhysicalID,
		Properties:    r.Properties(),
		OldProperties: r.OldProperties(),
		Outcome:       r.Outcome,
		Response:      (*Response)(r.Response()),
	}
	if r.FaultHit {
		out.Fault = FaultKind(r.Fault.Kind)
	}
	for _, d := range r.Deliveries {
		out.Deliveries = append(out.Deliveries, deliveryOf(d))
	}
	return out
}

func deliveryOf(d simulate.Delivery) Delivery {
	out := Delivery{
		Steps:     d.Steps,
		Response:  (*Response)(d.Response),
		Ended:     d.Ended,
		Record:    d.Record,
		Link:      d.Link,
		Continued: d.Continued,
	}
	for _, c := range d.Calls {
		out.Calls = append(out.Calls, Call(c))
	}
	return out
}
