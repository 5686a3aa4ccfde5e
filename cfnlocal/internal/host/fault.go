package host

// A Fault is something that goes wrong with an event, though the function may be in order.
type Fault string

// The faults. Throttle, DieBefore and DieAfter are used up by one attempt
// each, in their order; the others are for the event as a whole.
const (
	// Redeliver delivers the event once more after it succeeded, which the queue
	// can do at any time.
	Redeliver Fault = "redeliver"
	// Twice delivers the event twice at once, to two processes.
	Twice Fault = "twice"
	// Lose takes the event out of the queue: no process ever gets it.
	Lose Fault = "lose"
	// Throttle has no room for the event.
	Throttle Fault = "throttle"
	// DieBefore kills the process before it gets the event: the handler sees nothing of it.
	DieBefore Fault = "die-before"
	// DieAfter kills the process when it returns: all that the handler does is
	// done, and Lambda does not know it.
	DieAfter Fault = "die-after"
)
