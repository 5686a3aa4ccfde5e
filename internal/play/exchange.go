package play

import "time"

// A StackRequest is cfntest's.
type StackRequest struct {
	Type, LogicalID, ResourceType, PhysicalID string

	Properties, OldProperties map[string]any

	Fault      FaultKind
	Deliveries []Delivery
	Outcome    string
	Response   *Response
}

// A Delivery is cfntest's.
type Delivery struct {
	Calls    []Call
	Steps    int
	Response *Response
	Ended    string
	Record   bool

	Link      int
	Continued bool
	Waits     bool // a Poll was ready in it, or kept from it
	cut       bool // a method ended with its context while a Poll was held
}

// A Call is cfntest's.
type Call struct {
	Method     string
	PhysicalID string
	Returned   string
	Created    string
	Error      string
	Code       string
	Abandoned  bool
}

// A StackEvent is cfntest's.
type StackEvent struct {
	Time       time.Time
	LogicalID  string
	PhysicalID string
	Type       string
	Status     string
	Reason     string
}
